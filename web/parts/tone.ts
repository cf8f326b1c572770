/** The meaning of a colour. The pages choose the tone of each state. */
export type Tone = 'good' | 'warn' | 'bad' | 'special' | 'plain'

/** One tone's text colour, quiet fill and border. */
export interface Shade {
  text: string
  fill: string
  line: string
}

/** The accent colour of buttons and links. */
export interface Accent extends Shade {
  /** The preset colour, unchanged. */
  main: string
  /** The text colour on `main` and on `hover`. */
  onMain: string
  /** The fill under the pointer. */
  hover: string
}

declare module '@mui/material/styles' {
  interface Palette {
    tones: Record<Tone, Shade>
    accent: Accent
    /** The border of fields and controls, with a contrast of 3:1 against the paper. */
    edge: string
  }
  interface PaletteOptions {
    tones: Record<Tone, Shade>
    accent: Accent
    edge: string
  }
}
