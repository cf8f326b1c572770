import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { Search, X } from 'lucide-react'
import { useId, useRef } from 'react'
import { EXACT, InputFrame } from '../form/controls.tsx'

interface SearchBoxProps {
  label: string
  value: string
  /** Why the search cannot be made. */
  fault?: string | undefined
  onChange: (text: string) => void
}

/** A search field with its label as the placeholder. */
export function SearchBox({ label, value, fault, onChange }: SearchBoxProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const clear = () => {
    onChange('')
    input.current?.focus()
  }
  const press = (event: React.KeyboardEvent) => {
    // It searches while one types, so Enter sends no form that it is in.
    if (event.key === 'Enter') event.preventDefault()
    // Escape ends the search, and does not close the dialog that it is in with all that was ticked.
    if (event.key !== 'Escape' || value === '') return
    event.stopPropagation()
    onChange('')
  }
  return (
    <SearchPlace>
      <InputFrame>
        <Search aria-hidden size={16} />
        <input
          ref={input}
          type="search"
          aria-label={label}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && id}
          placeholder={label}
          value={value}
          autoComplete="off"
          dir="auto"
          {...EXACT}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={press}
        />
        {value && (
          <IconButton size="small" aria-label="Clear the search" onClick={clear}>
            <X size={16} />
          </IconButton>
        )}
      </InputFrame>
      {fault && (
        <p id={id} role="alert">
          {fault}
        </p>
      )}
    </SearchPlace>
  )
}

const SearchPlace = styled('div')(({ theme }) => ({
  flex: '1 1 200px',
  maxWidth: 400,
  '& p': { marginTop: 4, fontSize: '0.75rem', color: theme.palette.tones.bad.text },
}))
