import { ThemeContext } from '@emotion/react'
import DefaultPropsProvider from '@mui/material/DefaultPropsProvider'
import type { Theme } from '@mui/material/styles'
import { type ComponentProps, type ReactNode, useLayoutEffect, useMemo } from 'react'
import { useIsPrinting } from '../parts/useIsPrinting.ts'
import { type Mode, makeTheme } from './theme.ts'

/**
 * Applies the theme to everything inside, and to the page around it. MUI's own provider includes its CSS variables (5
 * kB compressed); its components read nothing but these two contexts.
 */
export function Themed({ mode, preset, children }: { mode: Mode; preset: string; children: ReactNode }) {
  // The light text of the dark mode would be printed grey on white.
  const shown = useIsPrinting() ? 'light' : mode
  const look = useMemo(() => makeTheme(shown, preset), [shown, preset])
  useLayoutEffect(() => paintPage(look), [look])
  return (
    <ThemeContext.Provider value={look}>
      <DefaultPropsProvider value={look.components as Defaults}>{children}</DefaultPropsProvider>
    </ThemeContext.Provider>
  )
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
