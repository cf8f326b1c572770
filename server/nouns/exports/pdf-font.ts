/**
 * A font of a PDF. Latin, Greek and Cyrillic letters have one glyph each, so this class measures them once and writes
 * their glyph numbers itself, in a tenth of the time that pdfkit takes to lay out a text. pdfkit lays out all others.
 */
export class PdfFont {
  readonly #doc: PDFKit.PDFDocument
  readonly #file: string
  readonly #font: PdfkitFont
  readonly #letters = new Map<string, { hex: string; width: number }>()

  constructor(doc: PDFKit.PDFDocument, file: string) {
    this.#doc = doc.font(file)
    this.#file = file
    this.#font = (doc as unknown as { _font: PdfkitFont })._font
    // pdfkit writes the width of the box for what the font lacks as the file has it, in another unit: it would be drawn
    // twice as wide as measured, over the next column.
    this.#font.widths[0] = this.#letter('\u{10ffff}').width
  }

  /** Breaks a text into at most two lines, after a space or '/' where possible. Cuts off what is too long. */
  lines(text: string, width: number, size: number): string[] {
    const room = (width / size) * 1000
    const end = this.#fit(text, room)
    if (end === text.length) return text === '' ? [] : [text]
    const after = Math.max(text.lastIndexOf(' ', end), text.lastIndexOf('/', end - 1) + 1)
    const first = text.slice(0, after > 0 ? after : end)
    const second = text.slice(first.length).trimStart()
    if (this.#fit(second, room) === second.length) return [first, second]
    return [first, `${second.slice(0, this.#fit(second, room - this.#letter('…').width))}…`]
  }

  widthOf(text: string, size: number): number {
    let width = 0
    for (const letter of text) width += this.#letter(letter).width
    return (width * size) / 1000
  }

  /** x and y are the upper left corner. */
  write(text: string, x: number, y: number, size: number): void {
    if (SIMPLE.test(text)) this.#writeLetters(text, x, y, size)
    else this.#layOut(text, x, y, size)
  }

  #writeLetters(text: string, x: number, y: number, size: number): void {
    let hex = ''
    for (const letter of text) hex += this.#letter(letter).hex
    const { page } = this.#doc
    page.fonts[this.#font.id] ??= this.#font.ref()
    // pdfkit flips the page so that y grows downwards, which would show letters upside down: the flip is undone here.
    const baseline = page.height - y - (this.#font.ascender * size) / 1000
    this.#doc.addContent(`q
1 0 0 -1 0 ${page.height} cm
BT
/${this.#font.id} ${size} Tf
1 0 0 1 ${x.toFixed(2)} ${baseline.toFixed(2)} Tm
[<${hex}>] TJ
ET
Q`)
  }

  /** Lays out each run of one direction separately, because pdfkit supports only one direction in a text. */
  #layOut(text: string, x: number, y: number, size: number): void {
    const doc = this.#doc.font(this.#file).fontSize(size)
    const runs = text.split(RIGHT_TO_LEFT).filter((run) => run !== '')
    doc.x = x
    for (const run of BEGINS_RIGHT_TO_LEFT.test(text) ? runs.reverse() : runs) {
      // An empty list adds no font features, but makes pdfkit lay out all words of the run together.
      doc.text(run, doc.x, y, { lineBreak: false, features: [] })
    }
  }

  /** Returns how many characters of a text fit into `room`, a width in thousandths of the font size. */
  #fit(text: string, room: number): number {
    let used = 0
    let end = 0
    for (const letter of text) {
      used += this.#letter(letter).width
      if (used > room) return end
      end += letter.length
    }
    return end
  }

  #letter(letter: string): { hex: string; width: number } {
    const known = this.#letters.get(letter)
    if (known) return known
    const [numbers, positions] = this.#font.encode(letter)
    const width = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
    const measured = { hex: numbers.join(''), width }
    this.#letters.set(letter, measured)
    return measured
  }
}

/** The private fields of pdfkit's font that are used here. The version of pdfkit is pinned because of them. */
type PdfkitFont = {
  id: string
  ascender: number
  ref(): object
  /** The widths that the file tells of each glyph, in thousandths of the font size. */
  widths: number[]
  /** Returns the glyph numbers of a text in hexadecimal, and their widths in thousandths of the font size. */
  encode(text: string): [string[], { xAdvance: number }[]]
}

/** Latin, Greek, Cyrillic and common signs: each is one glyph, whatever its neighbours are. */
const SIMPLE = /^[\u0020-\u02ff\u0370-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/

const RTL = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc'
/** Matches consecutive right-to-left words, with the spaces between them. */
const RIGHT_TO_LEFT = new RegExp(`([${RTL}]+(?:\\s+[${RTL}]+)*)`)
const BEGINS_RIGHT_TO_LEFT = new RegExp(`^[^\\p{L}${RTL}]*[${RTL}]`, 'u')
