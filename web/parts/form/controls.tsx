import { styled } from '@mui/material/styles'
import { ChevronsUpDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { CHOSEN, FORCED_COLOURS } from '../forcedColours.ts'

/**
 * The border around an input and its icon, unit or button. Inputs are native elements: they open the right keyboard,
 * support autofill, and are fast on a slow phone.
 */
export const InputFrame = styled('span')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'flex-end',
  columnGap: 8,
  minHeight: 40,
  padding: '0 12px',
  borderRadius: 8,
  border: `1px solid ${theme.palette.edge}`,
  background: theme.palette.background.paper,
  color: theme.palette.text.secondary,
  '&:hover': { borderColor: theme.palette.text.secondary },
  '&:focus-within': {
    borderColor: theme.palette.accent.text,
    boxShadow: `inset 0 0 0 1px ${theme.palette.accent.text}`,
  },
  [FORCED_COLOURS]: { '&:focus-within': CHOSEN },
  '&:has([aria-invalid=true])': {
    borderColor: theme.palette.tones.bad.text,
    boxShadow: `inset 0 0 0 1px ${theme.palette.tones.bad.text}`,
  },
  // There the border is red with the focus and without it.
  '&:has([aria-invalid=true]):focus-within': { outline: '2px solid var(--ring)', outlineOffset: 1 },
  '&:has(:disabled)': { opacity: 0.6, borderColor: theme.palette.divider },
  '& > svg': { flex: 'none' },
  '& input, & select, & textarea': {
    flex: 1,
    minWidth: 0,
    width: '100%',
    minHeight: 38,
    padding: 0,
    border: 0,
    outline: 'none',
    background: 'none',
    color: theme.palette.text.primary,
    '&::placeholder': { color: theme.palette.text.secondary, opacity: 1 },
    '&::-webkit-search-cancel-button': { display: 'none' },
  },
  // In a large font a button with words goes beneath its field, which would show only a few characters beside it.
  '& > input:has(~ .MuiButton-root)': { flexBasis: '8.5rem' },
  '& textarea': { padding: '8px 0', resize: 'vertical', fieldSizing: 'content', minHeight: 96 },
  '& .MuiIconButton-root': { marginRight: -8 },
  // Phones zoom in on fields with text below 16 px, and a touch target needs 44 px.
  '@media (pointer: coarse)': {
    minHeight: 44,
    '& input, & select, & textarea': { fontSize: '1rem' },
    '& input, & select': { minHeight: 42 },
  },
}))

/** A native select, which every phone shows in its own familiar way. */
export function Select({ children, style, ...rest }: ComponentProps<'select'>) {
  return (
    <List style={style}>
      <select {...rest}>{children}</select>
      <ChevronsUpDown aria-hidden size={14} />
    </List>
  )
}

const List = styled(InputFrame)(({ theme }) => ({
  position: 'relative',
  flex: 1,
  '& select': {
    appearance: 'none',
    paddingRight: 24,
    marginRight: -30,
    cursor: 'pointer',
    textOverflow: 'ellipsis',
  },
  '& option': { color: theme.palette.text.primary, background: theme.palette.background.paper },
  '& > svg': { pointerEvents: 'none' },
}))

/** Keeps a phone's keyboard from changing the typed text. */
export const EXACT = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const
