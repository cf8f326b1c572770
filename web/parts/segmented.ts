import type { Theme } from '@mui/material/styles'
import { CHOSEN, FORCED_COLOURS } from './forcedColours.ts'
import { ringAround } from './ringAround.ts'

/**
 * The style of a few choices in one bar, each a label around its radio button. The chosen one says so by `data-chosen`.
 */
export function segmented(theme: Theme) {
  return {
    display: 'flex',
    gap: 2,
    padding: 3,
    borderRadius: 10,
    background: theme.palette.background.default,
    boxShadow: `inset 0 0 0 1px ${theme.palette.divider}`,
    '& input': { position: 'absolute', inset: 0, margin: 0, opacity: 0, cursor: 'inherit' },
    '& label': {
      position: 'relative',
      display: 'flex',
      alignItems: 'center',
      justifyContent: 'center',
      gap: 6,
      minHeight: 34,
      padding: '0 12px',
      borderRadius: 8,
      color: theme.palette.text.secondary,
      cursor: 'pointer',
      '&:hover': { color: theme.palette.text.primary },
      '&[data-chosen=true]': {
        color: theme.palette.text.primary,
        fontWeight: 600,
        background: theme.palette.background.paper,
        boxShadow: `inset 0 0 0 1px ${theme.palette.divider}`,
      },
      [FORCED_COLOURS]: { '&[data-chosen=true]': CHOSEN },
      ...ringAround(1),
    },
  } as const
}
