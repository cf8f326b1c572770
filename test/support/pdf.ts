import { inflateSync } from 'node:zlib'

/**
 * The texts that a PDF of pdfkit shows, in the order in which they are drawn. Each is there once for every font,
 * because which one draws it is not looked at: in the wrong one it is nonsense.
 */
export function textsOf(pdf: Buffer): string[] {
  const streams = [...pdf.toString('latin1').matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].map(
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

/** What each of a font's codes stands for. */
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
