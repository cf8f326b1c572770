import { styled } from '@mui/material/styles'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import { calls } from '../../contract/calls.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { useCall } from '../calls/useCall.ts'
import { TouchLink } from '../parts/TouchLink.tsx'
import { to } from '../screens.ts'
import { useScreen } from './useScreen.ts'

/** The most important problem, above every screen of the admin but the one that tells all of it. */
export function TopFinding() {
  const screen = useScreen()
  const { data } = useCall(calls.system.findings, {}, { every: MINUTE_MS })
  const [first, ...others] = data?.findings ?? []
  const isTold = screen?.path === to.system()
  return (
    <div role="status">
      {first && !isTold && (
        <Strip data-urgent={first.urgent}>
          {first.urgent ? <CircleAlert aria-hidden size={18} /> : <TriangleAlert aria-hidden size={18} />}
          <span>{first.sentence}</span>
          <TouchLink to={to.system()}>
            {others.length > 0 ? `System, and ${others.length} more` : 'System'}
          </TouchLink>
        </Strip>
      )}
    </div>
  )
}

const Strip = styled('p')(({ theme }) => ({
  display: 'flex',
  gap: 12,
  alignItems: 'center',
  marginBottom: 16,
  padding: '8px 16px',
  borderRadius: 12,
  border: `1px solid ${theme.palette.tones.warn.line}`,
  background: theme.palette.tones.warn.fill,
  overflowWrap: 'anywhere',
  '& svg': { flex: 'none', color: theme.palette.tones.warn.text },
  '& span': { flex: 1, minWidth: 0 },
  '& a': { flex: 'none' },
  '&[data-urgent=true]': {
    borderColor: theme.palette.tones.bad.line,
    background: theme.palette.tones.bad.fill,
    '& svg': { color: theme.palette.tones.bad.text },
  },
  [theme.breakpoints.down('sm')]: {
    flexWrap: 'wrap',
    rowGap: 0,
    alignItems: 'flex-start',
    '& span': { flexBasis: 'calc(100% - 30px)' },
    '& a': { marginLeft: 30 },
  },
}))
