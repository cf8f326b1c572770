import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Channel } from '../../contract/channels.ts'
import { OF_PLAYLIST, type Seal } from './seal.ts'

/** Returns the channels of a playlist as it is stored: JSON, compressed and sealed. */
export async function channelsIn(seal: Pick<Seal, 'open'>, content: Buffer): Promise<Channel[]> {
  const packed = Buffer.from(seal.open(content, OF_PLAYLIST.channels), 'base64')
  return JSON.parse((await promisify(gunzip)(packed)).toString())
}
