import { styled } from '@mui/material/styles'
import { useController } from 'react-hook-form'
import { segmented } from '../segmented.ts'
import type { SelectOption } from './SelectInput.tsx'

interface ChoiceInputProps {
  name: string
  label: string
  options: readonly SelectOption[]
}

/** A few choices that are all visible; the values keep their type. */
export function ChoiceInput({ name, label, options }: ChoiceInputProps) {
  const { field } = useController({ name })
  return (
    <Fieldset>
      <legend>{label}</legend>
      <Bar>
        {options.map((option) => (
          <label key={option.value} data-chosen={field.value === option.value}>
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
      </Bar>
    </Fieldset>
  )
}

const Fieldset = styled('fieldset')({
  '&&': { display: 'grid', gap: 4, minWidth: 0, margin: '0 0 20px', padding: 0, border: 0 },
  '& legend': { padding: 0, marginBottom: 4, fontWeight: 600 },
})

const Bar = styled('div')(
  ({ theme }) => segmented(theme),
  ({ theme }) => ({
    '& label': {
      flex: '1 1 0',
      '&[data-chosen=true]': { boxShadow: `inset 0 0 0 1px ${theme.palette.edge}` },
      '&:has(:disabled)': { opacity: 0.6, cursor: 'default' },
      '@media (pointer: coarse)': { minHeight: 44 },
    },
  }),
)
