import { inflateSync } from 'node:zlib'

/**
 * Returns the texts that a PDF of pdfkit shows, in drawing order. Each text is decoded once with every font of the
 * file, because this parser does not track the current font; in all but one the result is nonsense.
 */
export function textsOf(pdf: Buffer): string[] {
  // Exactly one line feed ends a stream, because its last byte may be a carriage return.
  const streams = [...pdf.toString('latin1').matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(
    ([, bytes = '']) => inflateSync(Buffer.from(bytes, 'latin1')).toString('latin1'),
  )
  const fonts = streams.filter((text) => text.includes('begincmap')).map(lettersOf)
  return streams
    .flatMap((text) => [...text.matchAll(/^\[(.*)\] TJ$/gm)])
    .map(([, drawn = '']) => [...drawn.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => hex).join(''))
    .flatMap((hex) =>
      fonts.map((letters) =>
        codesIn(hex)
          .map((code) => letters.get(code) ?? '')
          .join(''),
      ),
    )
}

/** Reads a font's character map: its codes and their characters. */
function lettersOf(map: string): Map<number, string> {
  const letters = new Map<number, string>()
  for (const [, first = '', list = ''] of map.matchAll(/<(\w{4})> <\w{4}> \[(.*?)\]/g)) {
    for (const [at, [, hex = '']] of [...list.matchAll(/<([0-9a-f ]+)>/g)].entries()) {
      const points = codesIn(hex.replaceAll(' ', ''))
      letters.set(Number.parseInt(first, 16) + at, String.fromCharCode(...points))
    }
  }
  return letters
}

function codesIn(hex: string): number[] {
  return (hex.match(/.{4}/g) ?? []).map((code) => Number.parseInt(code, 16))
}
