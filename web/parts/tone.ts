/** What a colour says. The screens decide which of their states says what. */
export type Tone = 'good' | 'warn' | 'bad' | 'special' | 'plain'

/** Three colours of one meaning: words on paper or on the fill, a quiet fill, and a line around it. */
export interface Shade {
  text: string
  fill: string
  line: string
}

/** The colour that acts: exact as a fill, derived where it is read. */
export interface Accent extends Shade {
  /** The preset colour, exact. */
  main: string
  /** What is read on `main` and on `hover`. */
  onMain: string
  /** `main` under the pointer. */
  hover: string
}

declare module '@mui/material/styles' {
  interface Palette {
    tones: Record<Tone, Shade>
    accent: Accent
    /** Borders of fields and controls, 3:1 against the paper. */
    edge: string
  }
  interface PaletteOptions {
    tones: Record<Tone, Shade>
    accent: Accent
    edge: string
  }
}
