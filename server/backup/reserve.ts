import { statfsSync, statSync } from 'node:fs'
import type { Config } from '../config.ts'

/** What the console keeps free under its own database. */
export type Reserve = { folder: string; bytes: number }

/** @param files the folder of the embedded database; null where it runs elsewhere */
export function reserveOf(files: string | null, { freeDiskMb }: Pick<Config, 'freeDiskMb'>): Reserve | null {
  return files === null ? null : { folder: files, bytes: freeDiskMb * 2 ** 20 }
}

/** What tells whether two folders share their room: their device, and of their file system its kind and what is free. */
export type DiskRoom = { dev: number; type: number; bavail: number; bsize: number }

/** Returns how many bytes of a folder's disk are kept free for the database; none where that is on another disk. */
export function reservedOn(folder: string, reserve: Reserve | null, look = diskOf): number {
  return reserve && isOne(look(folder), look(reserve.folder)) ? reserve.bytes : 0
}

/**
 * Whether two folders are on one disk. The subvolumes of a btrfs and the datasets of a ZFS pool are devices of their own,
 * but have the same room: to the byte, each in whole blocks of its own size. Two disks of one kind hardly ever have.
 */
function isOne(one: DiskRoom, other: DiskRoom): boolean {
  if (one.dev === other.dev) return true
  const apart = Math.abs(one.bavail * one.bsize - other.bavail * other.bsize)
  return one.type === other.type && apart < Math.max(one.bsize, other.bsize)
}

function diskOf(folder: string): DiskRoom {
  const { type, bavail, bsize } = statfsSync(folder)
  return { dev: statSync(folder).dev, type, bavail, bsize }
}
