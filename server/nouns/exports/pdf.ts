import { createRequire } from 'node:module'
import PDFDocument from 'pdfkit'
import type { Sql } from '../../postgres/pool.ts'
import type { ClientListing } from './listing.ts'
import { PdfFont } from './pdf-font.ts'

const AT_ONCE = 200

const MARGIN = 36
const SIZE = 7
const LINE = 8.5
/** Two lines of text and a rule. Every row has this height, so that the number of pages is known in advance. */
const ROW = 2 * LINE + 4
/** The title, the description of the list, and the names of the columns. */
const HEAD = 56
const GAP = 5

const PAGE = { size: 'A4', layout: 'landscape', margin: 0 } as const
const [WIDTH, HEIGHT] = [841.89, 595.28]
const ROWS_A_PAGE = Math.floor((HEIGHT - 2 * MARGIN - HEAD) / ROW)

/** The widths of columns whose texts are seldom long, in points. The description takes the rest of the page. */
const WIDTHS: Record<string, number> = {
  Name: 72,
  MAC: 76,
  Ministra: 38,
  Expiry: 48,
  'Expiry State': 50,
  Status: 38,
  Phone: 70,
  Package: 98,
  Created: 48,
  Dealer: 78,
}

/**
 * Writes clients as a table on landscape pages; each page has the column names and its number. A text that does not fit
 * into two lines of its column ends in '…', while the CSV has it whole. The file embeds a font with Latin, Greek,
 * Cyrillic, Hebrew and Arabic letters; any other letter shows as a box.
 */
export async function* pdf(sql: Sql, listing: ClientListing): AsyncGenerator<Uint8Array> {
  const [counted] = await sql<{ count: number }[]>`${listing.count(sql)}`
  const sheet = new Sheet(listing, counted?.count ?? 0)
  for await (const some of listing.rows(sql).cursor(AT_ONCE)) {
    for (const row of some) sheet.row(row)
    yield* sheet.finished()
  }
  sheet.close()
  yield* sheet.finished()
}

type Cells = Record<string, string | null>

class Sheet {
  // pdfkit caches 8 kB for every word that it lays out.
  readonly #doc = new PDFDocument({ autoFirstPage: false, fontLayoutCache: false })
  readonly #plain: PdfFont
  readonly #bold: PdfFont
  readonly #columns: { title: string; x: number; width: number }[]
  readonly #title: string
  readonly #about: string
  readonly #pages: number
  #page = 0
  #rows = 0

  constructor({ title, about, columns }: ClientListing, count: number) {
    this.#doc.info.Title = title
    this.#plain = new PdfFont(this.#doc, font('DejaVuSansCondensed'))
    this.#bold = new PdfFont(this.#doc, font('DejaVuSansCondensed-Bold'))
    this.#columns = place(columns)
    this.#title = title
    this.#about = `${about}: ${count.toLocaleString('en-US')} in all`
    this.#pages = Math.max(1, Math.ceil(count / ROWS_A_PAGE))
    this.#turn()
  }

  row(cells: Cells): void {
    if (this.#rows === ROWS_A_PAGE) this.#turn()
    const top = MARGIN + HEAD + this.#rows * ROW
    for (const { title, x, width } of this.#columns) {
      const lines = this.#plain.lines(cells[title] ?? '', width - GAP, SIZE)
      lines.forEach((line, at) => {
        this.#plain.write(line, x, top + at * LINE, SIZE)
      })
    }
    this.#rule(top + ROW - 2.5, 0.25, '#c8c8c8')
    this.#rows += 1
  }

  close(): void {
    this.#doc.end()
  }

  *finished(): Generator<Uint8Array> {
    for (let chunk = this.#doc.read(); chunk !== null; chunk = this.#doc.read()) yield chunk
  }

  #turn(): void {
    this.#doc.addPage(PAGE)
    this.#page += 1
    this.#rows = 0
    this.#bold.write(this.#title, MARGIN, MARGIN, 12)
    const number = `Page ${this.#page} of ${this.#pages}`
    this.#plain.write(number, WIDTH - MARGIN - this.#plain.widthOf(number, SIZE), MARGIN + 4, SIZE)
    this.#plain.write(this.#about, MARGIN, MARGIN + 20, SIZE)
    for (const { title, x } of this.#columns) this.#bold.write(title, x, MARGIN + 38, SIZE)
    this.#rule(MARGIN + 50, 0.75, 'black')
  }

  #rule(y: number, thickness: number, colour: string): void {
    this.#doc
      .moveTo(MARGIN, y)
      .lineTo(WIDTH - MARGIN, y)
      .lineWidth(thickness)
      .stroke(colour)
  }
}

function font(name: string): string {
  return createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)
}

function place(titles: readonly string[]) {
  const taken = titles.reduce((sum, title) => sum + (WIDTHS[title] ?? 0), 0)
  let x = MARGIN
  return titles.map((title) => {
    const column = { title, x, width: WIDTHS[title] ?? WIDTH - 2 * MARGIN - taken }
    x += column.width
    return column
  })
}
