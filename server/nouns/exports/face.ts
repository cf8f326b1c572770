/**
 * A font of a PDF. Letters that stand each for itself (Latin, Greek, Cyrillic) are measured once and written by their
 * numbers, in a tenth of the time that pdfkit takes to lay out a text; all others are laid out by pdfkit.
 */
export class Face {
  readonly #doc: PDFKit.PDFDocument
  readonly #file: string
  readonly #font: Embedded
  readonly #letters = new Map<string, { hex: string; width: number }>()

  constructor(doc: PDFKit.PDFDocument, file: string) {
    this.#doc = doc.font(file)
    this.#file = file
    this.#font = (doc as unknown as { _font: Embedded })._font
  }

  /** A text in one line or two that fit a width, broken after a space or '/' if there is one; the end may be cut off. */
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

  /** Writes one line, from its upper left corner. */
  write(text: string, x: number, y: number, size: number): void {
    if (SIMPLE.test(text)) this.#writeLetters(text, x, y, size)
    else this.#layOut(text, x, y, size)
  }

  #writeLetters(text: string, x: number, y: number, size: number): void {
    let hex = ''
    for (const letter of text) hex += this.#letter(letter).hex
    const { page } = this.#doc
    page.fonts[this.#font.id] ??= this.#font.ref()
    // pdfkit's page is upside down, so that y grows downwards; letters have to be turned back.
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

  /** Each run of one direction by itself, because pdfkit takes a text to have but one. */
  #layOut(text: string, x: number, y: number, size: number): void {
    const doc = this.#doc.font(this.#file).fontSize(size)
    const runs = text.split(RIGHT_TO_LEFT).filter((run) => run !== '')
    doc.x = x
    for (const run of BEGINS_RIGHT_TO_LEFT.test(text) ? runs.reverse() : runs) {
      // The features named are those beyond the usual; to name them makes pdfkit take the words together.
      doc.text(run, doc.x, y, { lineBreak: false, features: [] })
    }
  }

  /** How much of a text fits into so many thousandths of its size. */
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

/** What pdfkit knows of a font, and keeps to itself; the version is pinned. */
type Embedded = {
  id: string
  ascender: number
  ref(): object
  /** The numbers of a text's glyphs in hexadecimal, and how far each goes, in thousandths of the size. */
  encode(text: string): [string[], { xAdvance: number }[]]
}

/** Latin, Greek, Cyrillic and the usual signs: one letter is one glyph, wherever it stands. */
const SIMPLE = /^[\u0020-\u02ff\u0370-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/

const RTL = '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc'
/** Words from right to left with the spaces between them. */
const RIGHT_TO_LEFT = new RegExp(`([${RTL}]+(?:\\s+[${RTL}]+)*)`)
const BEGINS_RIGHT_TO_LEFT = new RegExp(`^[^\\p{L}${RTL}]*[${RTL}]`, 'u')
