import { styled } from '@mui/material/styles'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import { Link } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { useCall } from '../calls/useCall.ts'
import { to } from '../screens.ts'
import { useScreen } from './useScreen.ts'

/**
 * The most important problem, on every screen of the admin but the one that tells all of it. It comes after the page, and
 * stands in the top bar, where nothing has to make room for it.
 */
export function TopFinding() {
  const screen = useScreen()
  const { data } = useCall(calls.system.findings, {}, { every: MINUTE_MS })
  const findings = data?.findings ?? []
  const [first] = findings
  const isTold = screen?.path === to.system()
  const Sign = first?.urgent ? CircleAlert : TriangleAlert
  return (
    <Status role="status">
      {first && !isTold && (
        <Strip to={to.system()} data-urgent={first.urgent} data-hint={first.sentence} data-hint-cut="">
          <Sign aria-hidden size={16} />
          {findings.length > 1 && <b>{findings.length} problems: </b>}
          {first.sentence}
        </Strip>
      )}
    </Status>
  )
}

const Status = styled('div')({ minWidth: 0 })

const Strip = styled(Link)(({ theme }) => ({
  display: 'block',
  padding: '5px 12px',
  borderRadius: 8,
  border: `1px solid ${theme.palette.tones.warn.line}`,
  background: theme.palette.tones.warn.fill,
  color: theme.palette.text.primary,
  fontSize: '0.8125rem',
  lineHeight: '1.25rem',
  textDecoration: 'none',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  '&:hover': { textDecoration: 'underline' },
  '& svg': { marginRight: 8, verticalAlign: '-3px', color: theme.palette.tones.warn.text },
  '& b': { fontWeight: 600 },
  '&[data-urgent=true]': {
    borderColor: theme.palette.tones.bad.line,
    background: theme.palette.tones.bad.fill,
    '& svg': { color: theme.palette.tones.bad.text },
  },
  '@media (pointer: coarse)': { lineHeight: '2.125rem' },
  // Beneath the title, over which its target reaches: a finger needs more than a line.
  [theme.breakpoints.down('sm')]: {
    margin: '-1.5rem 0 0',
    padding: '1.5rem 0 0',
    border: 0,
    borderRadius: 0,
    '&, &[data-urgent=true]': { background: 'none' },
    lineHeight: '1.25rem',
  },
}))
