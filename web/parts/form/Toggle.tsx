import { styled } from '@mui/material/styles'
import type { ComponentProps, ReactNode } from 'react'
import { FORCED_COLOURS } from '../forcedColours.ts'

interface ToggleProps extends Omit<ComponentProps<'input'>, 'onChange' | 'type' | 'checked'> {
  label: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  /** Use `switch` for on and off, and `box` for a choice in a form. */
  kind?: 'switch' | 'box' | undefined
}

export function Toggle({ label, checked, onChange, kind = 'switch', ...rest }: ToggleProps) {
  return (
    <Line>
      <input
        {...rest}
        type="checkbox"
        role={kind === 'switch' ? 'switch' : undefined}
        className={kind}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        // Whoever presses Enter here means this choice, and not to send the form that it is in.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {label}
    </Line>
  )
}

const Line = styled('label')(({ theme }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 40,
  cursor: 'pointer',
  '@media (pointer: coarse)': { minHeight: 44 },
  '&:has(:disabled)': { opacity: 0.6, cursor: 'default' },
  '& .box': { flex: 'none', width: 18, height: 18, margin: 0, accentColor: theme.palette.accent.text },
  '& .switch': {
    appearance: 'none',
    flex: 'none',
    width: 34,
    height: 20,
    margin: 0,
    borderRadius: 10,
    background: theme.palette.edge,
    // Its state is a background, which browsers print only where they are told to.
    WebkitPrintColorAdjust: 'exact',
    printColorAdjust: 'exact',
    cursor: 'inherit',
    '&::after': {
      content: '""',
      display: 'block',
      width: 16,
      height: 16,
      margin: 2,
      borderRadius: 8,
      background: theme.palette.background.paper,
    },
    '&:checked': { background: theme.palette.accent.text },
    '&:checked::after': { transform: 'translateX(14px)' },
    // The switch shows its state by a background, which forced colours remove: the browser's own checkbox is shown.
    [FORCED_COLOURS]: { appearance: 'auto', '&::after': { display: 'none' } },
  },
}))
