import { get } from 'node:http'

/** Fetches a file. Returns after how many milliseconds its first byte and its last one came. */
export function download(url: string): Promise<{ firstMs: number; wholeMs: number }> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    let firstMs = 0
    get(url, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`))
      answer.on('data', () => {
        firstMs ||= performance.now() - began
      })
      answer.on('end', () => resolve({ firstMs, wholeMs: performance.now() - began }))
      answer.on('error', reject)
    }).on('error', reject)
  })
}
