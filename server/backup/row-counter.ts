import { counted } from '../../contract/quantities.ts'

const SILENCE_MS = 5_000
const LINE_END = 0x0a

/** Counts the rows of a table in a stream: in the text of COPY each ends with a line break, and contains no other. */
export class RowCounter {
  rows = 0
  readonly #table: string
  readonly #say: (line: string) => void
  #told = performance.now()

  constructor(table: string, say: (line: string) => void) {
    this.#table = table
    this.#say = say
  }

  add(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) this.rows += 1
    if (performance.now() - this.#told < SILENCE_MS) return
    this.#told = performance.now()
    this.#say(`${this.#table}: ${this.#figure} so far`)
  }

  end(): void {
    if (this.rows > 0) this.#say(`${this.#table}: ${this.#figure}`)
  }

  get #figure(): string {
    return counted(this.rows, 'row')
  }
}
