import { styled } from '@mui/material/styles'
import { type ReactNode, useId } from 'react'
import { own } from './own.ts'

interface CardProps {
  /** Its anchor, for links within the page. */
  id?: string | undefined
  title?: string | undefined
  /** Content to the right of the title: a total, a switch, a quiet button. */
  aside?: ReactNode
  /** Removes the padding, for content such as a table that reaches the card's edge. */
  flush?: boolean | undefined
  /** Limits the width to that of one form. */
  form?: boolean | undefined
  onFocus?: (() => void) | undefined
  children: ReactNode
}

/** A bordered card; with a title it is a region of the page. */
export function Card({ id, title, aside, flush = false, form = false, onFocus, children }: CardProps) {
  const heading = useId()
  return (
    <Paper
      id={id}
      aria-labelledby={title ? heading : undefined}
      flush={flush}
      titled={title !== undefined}
      style={form ? asWideAsAForm : undefined}
      onFocus={onFocus}
    >
      {title && (
        <Head>
          <h2 id={heading}>{title}</h2>
          {aside}
        </Head>
      )}
      {children}
    </Paper>
  )
}

const asWideAsAForm = { maxWidth: 610 }

const Paper = styled(
  'section',
  own('flush', 'titled'),
)<{ flush: boolean; titled: boolean }>(({ theme, flush, titled }) => ({
  minWidth: 0,
  padding: flush ? 0 : titled ? '16px 24px 24px' : 24,
  overflow: flush ? 'clip' : 'visible',
  borderRadius: 12,
  border: `1px solid ${theme.palette.divider}`,
  background: theme.palette.background.paper,
  '& > header': { padding: flush ? '16px 24px 0' : 0 },
  '& p': { overflowWrap: 'anywhere' },
  [theme.breakpoints.down('sm')]: {
    padding: flush ? 0 : titled ? '12px 16px 16px' : 16,
    '& > header': { padding: flush ? '12px 16px 0' : 0 },
  },
}))

const Head = styled('header')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: 8,
  minHeight: 32,
  marginBottom: 8,
  '& > h2': { minWidth: 0, overflowWrap: 'anywhere' },
  // At the right, also where it does not fit beside the title.
  '& > h2 + *': { marginLeft: 'auto' },
})

export const CardButtons = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'flex-end',
  gap: 8,
  minHeight: 37,
  marginTop: 16,
  [theme.breakpoints.down('sm')]: { '& button': { flex: '1 1 auto' } },
}))

/** The last line of a card: a text, and the buttons that belong to it. */
export const CardFoot = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: 8,
  minHeight: 44,
  marginTop: 16,
  color: theme.palette.text.secondary,
}))
