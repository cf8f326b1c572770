import { ThemeContext } from '@emotion/react'
import DefaultPropsProvider from '@mui/material/DefaultPropsProvider'
import type { Theme } from '@mui/material/styles'
import { type ComponentProps, type ReactNode, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import { type Mode, makeTheme } from './theme.ts'

/**
 * Applies the theme to everything inside, and to the page around it. MUI's own provider includes its CSS variables (5
 * kB compressed); its components read nothing but these two contexts.
 */
export function Themed({ mode, preset, children }: { mode: Mode; preset: string; children: ReactNode }) {
  const printing = useSyncExternalStore(followPaper, () => isPrinting || paper.matches)
  // The light text of the dark mode would be printed grey on white.
  const shown = printing ? 'light' : mode
  const look = useMemo(() => makeTheme(shown, preset), [shown, preset])
  useLayoutEffect(() => paintPage(look), [look])
  return (
    <ThemeContext.Provider value={look}>
      <DefaultPropsProvider value={look.components as Defaults}>{children}</DefaultPropsProvider>
    </ThemeContext.Provider>
  )
}

const paper = matchMedia('print')
/** Firefox prints a copy of the page, so that the page itself never is on paper. */
let isPrinting = false

function followPaper(look: () => void) {
  const stop = new AbortController()
  // A button that prints does so before its click has ended, which React would wait for.
  const follow = () => flushSync(look)
  const note = (printing: boolean) => () => {
    isPrinting = printing
    follow()
  }
  paper.addEventListener('change', follow, stop)
  addEventListener('beforeprint', note(true), stop)
  addEventListener('afterprint', note(false), stop)
  return () => stop.abort()
}

type Defaults = ComponentProps<typeof DefaultPropsProvider>['value']

/** Applies the theme to what is outside of React's tree or has no styled component: the page and `parts.css`. */
function paintPage({ palette }: Theme) {
  const { dataset, style } = document.documentElement
  dataset.mode = palette.mode
  const colours: Record<string, string> = {
    ring: palette.accent.text,
    ink: palette.text.primary,
    quiet: palette.text.secondary,
    line: palette.divider,
  }
  for (const [tone, shade] of Object.entries(palette.tones)) {
    colours[tone] = shade.text
    colours[`${tone}-fill`] = shade.fill
    colours[`${tone}-line`] = shade.line
  }
  for (const [name, colour] of Object.entries(colours)) style.setProperty(`--${name}`, colour)
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', palette.background.paper)
}
