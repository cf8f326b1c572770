import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { FORCED_COLOURS } from '../forcedColours.ts'
import { Select } from '../form/controls.tsx'
import { FOR_READERS } from '../forReaders.ts'
import { number } from '../number.ts'

interface PagerProps {
  label: string
  /** The current page, from 1. */
  page: number
  perPage: number
  pageSizes: readonly number[]
  count: number
  capped: boolean
  /** The last page, where it is not the end of the rows; `beyond` then says how the others are found. */
  last: number | undefined
  beyond: string | undefined
  /** True before the first rows load. The pager is then invisible but keeps its space. */
  waiting: boolean
  onPage: (page: number) => void
  onPerPage: (perPage: number) => void
}

/** The footer of a table: rows per page, the current range, and the buttons to other pages. */
export function Pager(props: PagerProps) {
  const { label, page, perPage, pageSizes, count, capped, beyond, waiting, onPage, onPerPage } = props
  const id = useId()
  const { last = Math.max(1, Math.ceil(count / perPage)) } = props
  return (
    <Foot aria-label={`Pages of ${label}`} style={{ visibility: waiting ? 'hidden' : undefined }}>
      <Sizes>
        <label htmlFor={id}>Rows per page</label>
        <Select
          id={id}
          value={perPage}
          onChange={(event) => onPerPage(Number(event.target.value))}
          style={{ width: 76 }}
        >
          {pageSizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </Select>
      </Sizes>
      <span aria-live="polite">
        {range(page, perPage, count, capped)}
        {beyond && page === last && (capped || count > last * perPage) && `. ${beyond}`}
      </span>
      <Turns>
        <Turn label="Previous page" may={page > 1} onTurn={() => onPage(page - 1)}>
          <ChevronLeft size={18} />
        </Turn>
        <Turn label="Next page" may={page < last} onTurn={() => onPage(page + 1)}>
          <ChevronRight size={18} />
        </Turn>
      </Turns>
    </Foot>
  )
}

interface TurnProps {
  label: string
  may: boolean
  onTurn: () => void
  children: ReactNode
}

/** The button to another page. At the last one it keeps the focus of the person who got there by it. */
function Turn({ label, may, onTurn, children }: TurnProps) {
  return (
    <IconButton aria-label={label} aria-disabled={!may} onClick={may ? onTurn : undefined}>
      {children}
    </IconButton>
  )
}

function range(page: number, perPage: number, count: number, capped: boolean) {
  const first = count === 0 ? 0 : (page - 1) * perPage + 1
  const last = Math.min(page * perPage, count)
  return `${number(first)}–${number(last)} of ${capped ? 'more than ' : ''}${number(count)}`
}

const Foot = styled('nav')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'flex-end',
  gap: 8,
  minHeight: 52,
  padding: '4px 24px',
  borderTop: `1px solid ${theme.palette.divider}`,
  fontSize: '0.75rem',
  fontVariantNumeric: 'tabular-nums',
  color: theme.palette.text.secondary,
  '& [aria-disabled=true]': { color: theme.palette.action.disabled, background: 'none', cursor: 'default' },
  [FORCED_COLOURS]: { '& [aria-disabled=true]': { color: 'GrayText' } },
  [theme.breakpoints.down('sm')]: { justifyContent: 'space-between', padding: '4px 16px' },
}))

/** Both stay on one line, however long the range is. */
const Turns = styled('span')({ display: 'flex', gap: 8 })

const Sizes = styled('div')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  marginRight: 8,
  '& > span, & select': { minHeight: 30 },
  '@media (pointer: coarse)': { '& > span': { minHeight: 44 }, '& select': { minHeight: 42 } },
  // A phone has no room for the label, so only screen readers get it.
  [theme.breakpoints.down('sm')]: {
    '& label': FOR_READERS,
  },
}))
