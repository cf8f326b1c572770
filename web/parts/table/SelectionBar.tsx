import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { FOR_READERS } from '../forReaders.ts'
import { keepClear } from '../keepClear.ts'
import { number } from '../number.ts'
import { UNPRINTED } from '../unprinted.ts'

interface SelectionBarProps {
  chosen: ReadonlySet<string>
  /** The keys of the rows on the page. */
  shown: readonly string[]
  onClear: () => void
  /** Offers to select more rows than the page has: 'Select all 120'. */
  all?: { label: string; onTake: () => void; loading: boolean } | undefined
  children: ReactNode
}

/**
 * Says how many rows are selected, and what can be done with them. It stands below the table and stays at the bottom of
 * the window: selecting a row moves nothing, and covers neither the search nor the pages.
 */
export function SelectionBar({ chosen, shown, onClear, all, children }: SelectionBarProps) {
  const count = useRef<HTMLElement>(null)
  return (
    <>
      {/* Rendered before it has text, because only what changes in it is announced. */}
      <Announced role="status">{chosen.size > 0 && selectedCount(chosen, shown)}</Announced>
      {chosen.size > 0 && (
        <Bar ref={keepClear.ofSelection} role="group" aria-label="Selection">
          <strong ref={count} tabIndex={-1}>
            {selectedCount(chosen, shown)}
          </strong>
          {all && (
            <Button
              size="small"
              disabled={all.loading}
              onClick={() => {
                // The button goes once all are selected.
                count.current?.focus()
                all.onTake()
              }}
            >
              {all.label}
            </Button>
          )}
          <Acts>
            {children}
            <IconButton aria-label="Clear the selection" onClick={onClear}>
              <X size={18} />
            </IconButton>
          </Acts>
        </Bar>
      )}
    </>
  )
}

function selectedCount(chosen: ReadonlySet<string>, shown: readonly string[]): string {
  const hidden = chosen.size - shown.filter((key) => chosen.has(key)).length
  const selected = `${number(chosen.size)} selected`
  return hidden > 0 ? `${selected}, ${number(hidden)} not shown` : selected
}

const Announced = styled('div')(FOR_READERS)

const Bar = styled('div')(({ theme }) => ({
  position: 'sticky',
  bottom: 'calc(8px + var(--offline-bar, 0px))',
  zIndex: 4,
  // Its own buttons are in sight. To scroll for them would close their menu.
  '& > *': { '--selection-bar': '0px' },
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  minHeight: 60,
  marginTop: 8,
  padding: '8px 16px 8px 24px',
  borderRadius: 12,
  border: `1px solid ${theme.palette.accent.line}`,
  background: theme.palette.accent.fill,
  boxShadow: theme.shadows[8],
  fontVariantNumeric: 'tabular-nums',
  [theme.breakpoints.down('sm')]: { padding: '8px 8px 8px 16px' },
  ...UNPRINTED,
}))

const Acts = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  marginLeft: 'auto',
})
