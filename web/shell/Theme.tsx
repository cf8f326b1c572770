import { ThemeContext } from '@emotion/react'
import DefaultPropsProvider from '@mui/material/DefaultPropsProvider'
import type { Theme as Look } from '@mui/material/styles'
import { type ComponentProps, type ReactNode, useLayoutEffect, useMemo } from 'react'
import { type Mode, makeTheme } from './theme.ts'

/**
 * Gives the look to everything inside, and to the page around it.
 *
 * MUI's own provider carries its CSS-variable machinery (5 kB compressed); these two contexts are all that
 * its components read.
 */
export function Theme({ mode, preset, children }: { mode: Mode; preset: string; children: ReactNode }) {
  const look = useMemo(() => makeTheme(mode, preset), [mode, preset])
  useLayoutEffect(() => paintPage(look), [look])
  return (
    <ThemeContext.Provider value={look}>
      <DefaultPropsProvider value={look.components as Defaults}>{children}</DefaultPropsProvider>
    </ThemeContext.Provider>
  )
}

type Defaults = ComponentProps<typeof DefaultPropsProvider>['value']

function paintPage(look: Look) {
  const page = document.documentElement
  page.dataset.mode = look.palette.mode
  page.style.setProperty('--ring', look.palette.accent.text)
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', look.palette.background.paper)
}
