import { styled } from '@mui/material/styles'
import { useController } from 'react-hook-form'
import type { Choice } from './SelectInput.tsx'

interface ChoiceInputProps {
  name: string
  label: string
  options: readonly Choice[]
}

/** A few choices that are all visible; the values keep their type. */
export function ChoiceInput({ name, label, options }: ChoiceInputProps) {
  const { field } = useController({ name })
  return (
    <Group>
      <legend>{label}</legend>
      <div>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              checked={field.value === option.value}
              onChange={() => field.onChange(option.value)}
              onBlur={field.onBlur}
            />
            {option.label}
          </label>
        ))}
      </div>
    </Group>
  )
}

const Group = styled('fieldset')(({ theme }) => ({
  '&&': { display: 'grid', gap: 4, minWidth: 0, margin: '0 0 20px', padding: 0, border: 0 },
  '& legend': { padding: 0, marginBottom: 4, fontSize: '0.8125rem', fontWeight: 500 },
  '& div': {
    display: 'flex',
    gap: 2,
    padding: 3,
    borderRadius: 10,
    background: theme.palette.background.default,
    boxShadow: `inset 0 0 0 1px ${theme.palette.divider}`,
  },
  '& input': { position: 'absolute', inset: 0, margin: 0, opacity: 0, cursor: 'inherit' },
  '& label': {
    position: 'relative',
    flex: '1 1 0',
    display: 'grid',
    placeItems: 'center',
    minHeight: 34,
    padding: '0 12px',
    borderRadius: 8,
    color: theme.palette.text.secondary,
    cursor: 'pointer',
    '&:hover': { color: theme.palette.text.primary },
    '&:has(:checked)': {
      color: theme.palette.text.primary,
      fontWeight: 600,
      background: theme.palette.background.paper,
      boxShadow: `inset 0 0 0 1px ${theme.palette.edge}`,
    },
    '&:has(:focus-visible)': { outline: '2px solid var(--ring)', outlineOffset: 1 },
    '&:has(:disabled)': { opacity: 0.6, cursor: 'default' },
    '@media (pointer: coarse)': { minHeight: 44 },
  },
}))
