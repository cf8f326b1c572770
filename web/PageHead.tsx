import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { LARGE } from './parts/large.ts'

interface PageHeadProps {
  title: string
  /** What the tab of the browser shows instead of the title. */
  tab?: string
  action?: ReactNode
}

/** The first row of a page: its main action, and its title, which takes the focus when the page opens. */
export function PageHead({ title, tab = title, action }: PageHeadProps) {
  return (
    <Row>
      <title>{`${tab} · Boxtree`}</title>
      <h1 tabIndex={-1}>{title}</h1>
      {action}
    </Row>
  )
}

/** Holds the main action and a quiet one beside it. */
export const Actions = styled('div')({ display: 'flex', alignItems: 'center', gap: 8 })

const Row = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  justifyContent: 'space-between',
  gap: 16,
  minHeight: 44,
  marginBottom: 16,
  '& h1': {
    minWidth: 0,
    ...LARGE,
    overflowWrap: 'anywhere',
    outline: 'none',
  },
})
