import { createTheme, type Theme } from '@mui/material/styles'
import { EDGE, FORCED_COLOURS } from '../parts/forcedColours.ts'
import type { Accent, Shade, Tone } from '../parts/tone.ts'
import { contrast, mix, readable } from './colour.ts'

export type Mode = 'light' | 'dark'

/** The preset colours. An unknown preset falls back on `unknownPreset`. */
export const presets: Readonly<Record<string, string>> = {
  green: '#00ab55',
  purple: '#7635dc',
  aqua: '#1ccaff',
  blue: '#2065d1',
  orange: '#fda92d',
  red: '#ff3030',
}

export const unknownPreset = '#1976d2'

export const grounds = {
  light: { background: '#f5f5f5', paper: '#ffffff', ink: '#1b242e', quiet: '#55606d', pole: '#000000' },
  dark: { background: '#161c24', paper: '#202a35', ink: '#eef1f4', quiet: '#a9b4c0', pole: '#ffffff' },
} as const

/** Returns the theme of the whole console for a mode and a preset. */
export function makeTheme(mode: Mode, preset: string): Theme {
  const ground = grounds[mode]
  const accent = accentOf(mode, preset)
  const line = mix(ground.paper, ground.ink, 0.12)
  const edge = readable(mix(ground.paper, ground.ink, 0.3), [ground.paper, ground.background], ground.pole, 3)
  return createTheme({
    palette: {
      mode,
      background: { default: ground.background, paper: ground.paper },
      text: { primary: ground.ink, secondary: ground.quiet },
      // The icons of buttons.
      action: { active: ground.quiet },
      divider: line,
      primary: { main: accent.main, dark: accent.hover, contrastText: accent.onMain },
      error: { main: toneOf(mode, 'bad').text },
      tones: tonesOf(mode),
      accent,
      edge,
    },
    shape: { borderRadius: 8 },
    spacing: 8,
    breakpoints: { values: { xs: 0, sm: 667, md: 1025, lg: 1200, xl: 1440 } },
    typography,
    transitions: { duration: motion },
    motion: { reducedMotion: 'system' },
    components: components(accent),
  })
}

/** Returns the shades of a preset, as a fill and as text, in one mode. */
export function accentOf(mode: Mode, preset: string): Accent {
  const ground = grounds[mode]
  const main = presets[preset] ?? unknownPreset
  const onMain = contrast('#ffffff', main) >= 4.5 ? '#ffffff' : '#0b1116'
  // The hovered fill moves away from its text colour, so that the contrast only grows.
  const hover = mix(main, onMain === '#ffffff' ? '#000000' : '#ffffff', 0.12)
  return { main, onMain, hover, ...shade(ground, main) }
}

export function tonesOf(mode: Mode): Record<Tone, Shade> {
  return {
    good: toneOf(mode, 'good'),
    warn: toneOf(mode, 'warn'),
    bad: toneOf(mode, 'bad'),
    special: toneOf(mode, 'special'),
    plain: toneOf(mode, 'plain'),
  }
}

const hues: Record<Tone, string> = {
  good: '#16a34a',
  warn: '#e68a00',
  bad: '#e5393b',
  special: '#7c5cdb',
  plain: '#6b7785',
}

function toneOf(mode: Mode, tone: Tone): Shade {
  return shade(grounds[mode], hues[tone])
}

function shade(ground: (typeof grounds)[Mode], hue: string): Shade {
  const fill = mix(ground.paper, hue, 0.12)
  const text = readable(hue, [ground.paper, ground.background, fill], ground.pole)
  return { fill, text, line: mix(ground.paper, hue, 0.32) }
}

const motion = {
  shortest: 120,
  shorter: 140,
  short: 160,
  standard: 180,
  complex: 200,
  enteringScreen: 180,
  leavingScreen: 140,
}

// Every screen uses three sizes (12, 14, 24) and two weights (400, 600).
const typography = {
  fontFamily: `'Inter Variable', 'Inter Fallback', 'Inter Fallback Roboto', 'Inter Fallback DejaVu', system-ui, sans-serif`,
  fontWeightMedium: 600,
  fontWeightBold: 600,
  button: { textTransform: 'none', fontWeight: 600, fontSize: '0.875rem', lineHeight: 1.43 },
} as const

function components(accent: Accent) {
  // The fill that has enough contrast with the accent. MUI's own tint has too little with some presets.
  const hovered = { background: accent.fill }
  return {
    MuiButtonBase: {
      defaultProps: { disableRipple: true },
      styleOverrides: {
        root: {
          '&.Mui-focusVisible': { outline: `2px solid ${accent.text}`, outlineOffset: 2 },
          '@media (pointer: coarse)': { minHeight: 44, minWidth: 44 },
        },
      },
    },
    MuiButton: {
      defaultProps: { disableElevation: true },
      styleOverrides: {
        root: {
          minHeight: 40,
          padding: '4px 16px',
          // A button has its words in the middle by itself, a link that looks like one has not.
          textAlign: 'center' as const,
          variants: [
            {
              props: { size: 'small' as const },
              style: { minHeight: 32, padding: '4px 12px', fontSize: '0.875rem' },
            },
            {
              props: { variant: 'contained' as const },
              style: { [FORCED_COLOURS]: EDGE },
            },
            {
              props: { variant: 'text' as const, color: 'primary' as const },
              style: { color: accent.text, '&:hover': hovered },
            },
            {
              props: { variant: 'outlined' as const, color: 'primary' as const },
              style: { color: accent.text, borderColor: accent.line, '&:hover': hovered },
            },
          ],
        },
      },
    },
    MuiIconButton: { styleOverrides: { root: { borderRadius: 8, padding: 8 } } },
    MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } } },
    // What floats has one elevation.
    MuiDialog: {
      styleOverrides: {
        paper: ({ theme }: { theme: Theme }) => ({
          borderRadius: 12,
          margin: 16,
          boxShadow: theme.shadows[8],
          [FORCED_COLOURS]: EDGE,
        }),
      },
    },
    MuiDrawer: {
      defaultProps: { elevation: 8 },
      styleOverrides: { paper: { [FORCED_COLOURS]: EDGE } },
    },
  }
}
