import { styled } from '@mui/material/styles'
import { useId, useRef } from 'react'
import { CLIENT_FILTERS, type ClientFilter, COUNTED_TO } from '../../contract/clients.ts'
import type { ClientPage } from './useClientPage.ts'

/** The filter by state, with the number of clients that the search finds in each. */
export function FilterToggle({ page }: { page: Pick<ClientPage, 'list' | 'counts' | 'loading'> }) {
  const { list, counts, loading } = page
  const name = useId()
  const digits = useDigits(counts?.all)
  return (
    <Group style={{ visibility: counts || !loading ? 'visible' : 'hidden' }}>
      <legend>Filter</legend>
      {CLIENT_FILTERS.map((filter) => (
        <label key={filter}>
          <input
            type="radio"
            name={name}
            checked={list.filter === filter}
            onChange={() => list.setFilter(filter)}
          />
          {LABELS[filter]}{' '}
          <span style={{ minWidth: `${digits}ch` }}>{counts && inWords(counts[filter], list.search)}</span>
        </label>
      ))}
    </Group>
  )
}

function inWords(count: number, search: string): string {
  return `${count.toLocaleString('en-US')}${search !== '' && count === COUNTED_TO ? '+' : ''}`
}

/** Returns the number of digits of the largest count so far, so that a search that finds less moves nothing. */
function useDigits(all: number | undefined): number {
  const widest = useRef(3)
  if (all !== undefined) widest.current = Math.max(widest.current, all.toLocaleString('en-US').length)
  return widest.current
}

const LABELS: Record<ClientFilter, string> = {
  all: 'All',
  active: 'Active',
  expiring: 'Expiring Soon',
  expired: 'Expired',
}

const Group = styled('fieldset')(({ theme }) => ({
  display: 'flex',
  minWidth: 0,
  margin: 0,
  padding: 3,
  gap: 2,
  border: 0,
  borderRadius: 10,
  background: theme.palette.background.default,
  boxShadow: `inset 0 0 0 1px ${theme.palette.divider}`,
  '& legend': { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' },
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
    whiteSpace: 'nowrap',
    color: theme.palette.text.secondary,
    cursor: 'pointer',
    '&:hover': { color: theme.palette.text.primary },
    '&:has(:checked)': {
      color: theme.palette.text.primary,
      fontWeight: 600,
      background: theme.palette.background.paper,
      boxShadow: `inset 0 0 0 1px ${theme.palette.divider}`,
    },
    '&:has(:focus-visible)': { outline: '2px solid var(--ring)', outlineOffset: 1 },
  },
  '& span': { textAlign: 'left', fontVariantNumeric: 'tabular-nums' },
  [theme.breakpoints.down('sm')]: {
    flex: '1 1 100%',
    '& label': {
      flex: '1 1 0',
      flexDirection: 'column-reverse',
      // Aligns the counts at the bottom, even where the label above wraps.
      justifyContent: 'flex-end',
      gap: 0,
      minHeight: 48,
      padding: 4,
      fontSize: '0.75rem',
      whiteSpace: 'normal',
      textAlign: 'center',
      lineHeight: 1.25,
    },
    '& span': { minHeight: 17, textAlign: 'center', fontSize: '0.875rem' },
  },
}))
