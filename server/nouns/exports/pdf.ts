import { createRequire } from 'node:module'
import type { Sql } from '../../postgres/pool.ts'
import type { Listing } from './listing.ts'

/** The most rows of one file: some 150 pages. Each costs this process 8 kB until the file is done. */
export const MOST_IN_PDF = 5_000

const AT_ONCE = 100
const MARGIN = 36
const SIZE = 8
const LINE = 11

/** Widths in points of what is always short; the description takes what is left. */
const WIDTHS: Record<string, number> = {
  Name: 72,
  MAC: 88,
  Ministra: 40,
  Expiry: 52,
  'Expiry State': 56,
  Status: 42,
  Phone: 80,
  Package: 96,
  Created: 52,
  Dealer: 70,
}

/**
 * A listing as a table over landscape pages, each with the header and its number. Its own font is embedded, which
 * covers Latin with all its accents, Greek, Cyrillic, Hebrew and Arabic letters; what it lacks shows as a box.
 */
export async function* pdf(sql: Sql, listing: Listing): AsyncGenerator<Uint8Array> {
  // Not before somebody wants one: it is the heaviest of all that the console uses.
  const { default: PDFDocument } = await import('pdfkit')
  const sheet = new Sheet(new PDFDocument({ autoFirstPage: false, info: { Title: listing.title } }), listing)
  let count = 0
  for await (const some of listing.rows(sql).cursor(AT_ONCE)) {
    for (const row of some) sheet.row(row)
    count += some.length
    yield* sheet.finished()
  }
  sheet.close(count)
  yield* sheet.finished()
}

const font = (name: string) => createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)

type Cells = Record<string, string | null>

class Sheet {
  private doc: PDFKit.PDFDocument
  private columns: { title: string; x: number; width: number }[]
  private y = 0
  private page = 0
  private listing: Listing

  constructor(doc: PDFKit.PDFDocument, listing: Listing) {
    this.doc = doc
    this.listing = listing
    this.doc
      .registerFont('plain', font('DejaVuSansCondensed'))
      .registerFont('bold', font('DejaVuSansCondensed-Bold'))
    this.columns = place(listing.columns)
    this.turn()
  }

  row(cells: Cells): void {
    this.doc.font('plain').fontSize(SIZE)
    const lines = this.columns.map(({ title, width }) => this.broken(cells[title] ?? '', width - 6))
    const height = Math.max(...lines.map((cell) => cell.length)) * LINE + 4
    if (this.y + height > bottom(this.doc)) this.turn()
    this.print(lines)
    this.y += height
    this.doc
      .moveTo(MARGIN, this.y - 1)
      .lineTo(this.doc.page.width - MARGIN, this.y - 1)
      .lineWidth(0.25)
      .stroke('#c8c8c8')
  }

  close(count: number): void {
    if (this.y + LINE > bottom(this.doc)) this.turn()
    this.doc
      .font('bold')
      .fontSize(SIZE)
      .text(`${count.toLocaleString('en-US')} in all`, MARGIN, this.y + 6, { lineBreak: false })
    this.doc.end()
  }

  /** What is ready to be sent. */
  *finished(): Generator<Uint8Array> {
    for (let chunk = this.doc.read(); chunk !== null; chunk = this.doc.read()) yield chunk
  }

  private turn(): void {
    const { doc, listing } = this
    // Margins of nothing, because what is written near an edge would otherwise begin a page of its own.
    doc.addPage({ size: 'A4', layout: 'landscape', margin: 0 })
    this.page += 1
    this.y = MARGIN
    if (this.page === 1) {
      doc
        .font('bold')
        .fontSize(14)
        .fillColor('black')
        .text(listing.title, MARGIN, this.y, { lineBreak: false })
      this.y += 24
    }
    doc.font('plain').fontSize(SIZE)
    doc.text(listing.about, MARGIN, this.y, { lineBreak: false })
    doc.text(`Page ${this.page}`, doc.page.width - MARGIN - 80, this.y, {
      width: 80,
      align: 'right',
      lineBreak: false,
    })
    this.y += LINE + 6
    doc.font('bold')
    this.print(this.columns.map(({ title }) => [title]))
    this.y += LINE + 6
    doc
      .moveTo(MARGIN, this.y - 3)
      .lineTo(doc.page.width - MARGIN, this.y - 3)
      .lineWidth(0.75)
      .stroke('black')
    doc.font('plain')
  }

  private print(lines: string[][]): void {
    this.columns.forEach(({ x }, column) => {
      lines[column]?.forEach((line, at) => {
        if (line !== '') this.doc.text(line, x, this.y + at * LINE, { lineBreak: false })
      })
    })
  }

  /** A text in lines that fit a width, broken at spaces, and within a word only where it is longer than a line. */
  private broken(text: string, width: number): string[] {
    if (this.doc.widthOfString(text) <= width) return [text]
    const lines = ['']
    for (const word of text.split(' ')) {
      const line = lines.pop() ?? ''
      const longer = line === '' ? word : `${line} ${word}`
      if (this.doc.widthOfString(longer) <= width) lines.push(longer)
      else lines.push(...(line === '' ? [] : [line]), ...this.cut(word, width))
    }
    return lines
  }

  private cut(word: string, width: number): string[] {
    const pieces = ['']
    for (const letter of word) {
      const longer = pieces.at(-1) + letter
      if (this.doc.widthOfString(longer) <= width || pieces.at(-1) === '') pieces[pieces.length - 1] = longer
      else pieces.push(letter)
    }
    return pieces
  }
}

function bottom(doc: PDFKit.PDFDocument): number {
  return doc.page.height - MARGIN
}

/** Columns from left to right over the whole width of a landscape A4 page. */
function place(titles: readonly string[]) {
  const room = 841.89 - 2 * MARGIN
  const taken = titles.reduce((sum, title) => sum + (WIDTHS[title] ?? 0), 0)
  let x = MARGIN
  return titles.map((title) => {
    const column = { title, x, width: WIDTHS[title] ?? room - taken }
    x += column.width
    return column
  })
}
