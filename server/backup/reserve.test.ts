import { expect, test } from 'vitest'
import { type DiskRoom, reservedOn } from './reserve.ts'

const BTRFS = 0x9123683e
const ZFS = 0x2fc12fc1
const KB = 1024
const reserve = { folder: '/data', bytes: 256 * KB ** 2 }

test.each<[string, DiskRoom, DiskRoom, number]>([
  [
    'lies on the same file system',
    { dev: 1, type: 1, bavail: 10, bsize: 4 * KB },
    { dev: 1, type: 1, bavail: 9, bsize: 4 * KB },
    reserve.bytes,
  ],
  [
    'lies on another subvolume of one btrfs, which share its room',
    { dev: 1, type: BTRFS, bavail: 262_144, bsize: 4 * KB },
    { dev: 2, type: BTRFS, bavail: 262_144, bsize: 4 * KB },
    reserve.bytes,
  ],
  [
    'lies on another dataset of one ZFS pool, with blocks of another size',
    { dev: 1, type: ZFS, bavail: 131_085, bsize: 8 * KB },
    { dev: 2, type: ZFS, bavail: 8_192, bsize: 128 * KB },
    reserve.bytes,
  ],
  [
    'lies on another disk of the same kind',
    { dev: 1, type: BTRFS, bavail: 262_144, bsize: 4 * KB },
    { dev: 2, type: BTRFS, bavail: 262_143, bsize: 4 * KB },
    0,
  ],
  [
    'lies on a file system of another kind that happens to have as much room',
    { dev: 1, type: BTRFS, bavail: 262_144, bsize: 4 * KB },
    { dev: 2, type: ZFS, bavail: 262_144, bsize: 4 * KB },
    0,
  ],
])(
  'what is kept free for the database counts as it should where the backup %s',
  (_where, data, backups, kept) => {
    const disks: Record<string, DiskRoom> = { '/data': data, '/backups': backups }
    expect(reservedOn('/backups', reserve, (folder) => disks[folder] as DiskRoom)).toBe(kept)
  },
)

test('nothing is kept free where the database runs elsewhere', () => {
  expect(reservedOn('/backups', null)).toBe(0)
})
