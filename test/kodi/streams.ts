import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'

/**
 * Makes a live stream in segments of a second, of which the last ten are there: a test picture without sound, because
 * Kodi would follow a sound that is played nowhere as fast as it can. Returns once it can be watched.
 */
export async function startStream(folder: string): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true })
  const ffmpeg = spawn(
    'ffmpeg',
    [
      ...['-loglevel', 'error', '-re', '-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=10'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '10'],
      ...['-f', 'hls', '-hls_time', '1', '-hls_list_size', '10', '-hls_flags', 'delete_segments'],
      `${folder}/index.m3u8`,
    ],
    { stdio: 'ignore' },
  )
  const ended = once(ffmpeg, 'exit').then(() => {
    throw new Error('ffmpeg made no stream')
  })
  while (!existsSync(`${folder}/index.m3u8`))
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 100))])
  ended.catch(() => {})
  return ffmpeg
}
