import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PATH } from './needs.ts'
import { freePort, isListening } from './port.ts'
import type { TestServer } from './server.ts'

const SAMPLE = readFileSync(join(import.meta.dirname, '../../deploy/nginx-streams.conf'), 'utf8')

export interface Nginx {
  /** `http://127.0.0.1:PORT`, under which each stream has its folder behind a token. */
  url: string
  /** What it has answered: the path after the token, and the status. */
  answers(): { path: string; status: number }[]
  stop(): Promise<void>
}

/**
 * Starts a real nginx with the sample of `deploy/`, as it stands but for its ports, its folder and a log that the test
 * reads. It serves `FOLDER/streams`, and also asks another server of Boxtree where the address of one is given.
 */
export async function startNginx(
  folder: string,
  { boxUrl }: Pick<TestServer, 'boxUrl'>,
  other?: string,
): Promise<Nginx> {
  const port = await freePort()
  const sample = SAMPLE.replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('listen [::]:80;', '')
    .replace('127.0.0.1:8088', new URL(boxUrl).host)
    .replace('# server 10.0.0.5:8088', other ? `server ${other}` : '#')
    .replace('/var/www/streams', join(folder, 'streams'))
    .replace('access_log off;', 'access_log answers answers;')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  // As root its workers would be somebody else, who may not read this folder.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; pid pid; events {} http {
      ${temporary.map((kind) => `${kind}_temp_path ${kind};`).join(' ')}
      types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }
      log_format answers '$status $request_uri';
      ${sample}
    }`,
  )
  const nginx = spawn('nginx', ['-p', folder, '-e', 'errors', '-c', 'nginx.conf'], {
    stdio: 'ignore',
    env: { PATH },
  })
  while (!(await isListening('127.0.0.1', port))) {
    if (nginx.exitCode !== null) throw new Error(readFileSync(join(folder, 'errors'), 'utf8'))
    await pause(50)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    answers: () =>
      readFileSync(join(folder, 'answers'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [status, address = ''] = line.split(' ')
          return { path: address.split('/').slice(2).join('/'), status: Number(status) }
        }),
    async stop() {
      nginx.kill()
      if (nginx.exitCode === null) await once(nginx, 'exit')
    },
  }
}
