import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { Menu } from 'lucide-react'
import { titleOf } from '../levels.ts'
import { chunk, useAfterLoad } from '../parts/chunk.ts'
import { UNPRINTED } from '../parts/unprinted.ts'
import { useSession } from '../session.tsx'
import { CreditsChip } from './CreditsChip.tsx'
import { Find } from './Find.tsx'
import { inTopBar } from './SettingsButton.tsx'

interface TopBarProps {
  side: 'left' | 'right'
  /** True where the sidebar, which otherwise shows the credits, is hidden or collapsed. */
  showCredits: boolean
  expanded: boolean
  onToggle: () => void
  onSettings: () => void
  onHelp: () => void
}

/**
 * The bar above every page: the menu button, the search field, the credits where no sidebar shows them, and the admin's
 * most important problem.
 */
export function TopBar({ side, showCredits, expanded, onToggle, onSettings, onHelp }: TopBarProps) {
  const { role } = useSession()
  return (
    <Bar data-side={side}>
      <IconButton aria-label="Menu" aria-expanded={expanded} onClick={onToggle}>
        <Menu size={20} />
      </IconButton>
      <Who data-role={role}>
        <strong>{titleOf(role)} Panel</strong>
        {showCredits && role !== 'admin' && (
          <Credits>
            <CreditsChip />
          </Credits>
        )}
        {role === 'admin' && (
          <Problem>
            <AdminsProblem />
          </Problem>
        )}
      </Who>
      <Find onSettings={onSettings} onHelp={onHelp} />
    </Bar>
  )
}

const problem = chunk(async () => (await import('./TopFinding.tsx')).TopFinding)

/** Fetched once the page is there, which it must not delay. */
function AdminsProblem() {
  useAfterLoad(problem.load)
  const TopFinding = problem.value.use()
  return TopFinding && <TopFinding />
}

const Bar = styled('header')(({ theme }) => ({
  position: 'fixed',
  inset: '0 0 auto',
  zIndex: theme.zIndex.appBar,
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  height: 'var(--bar)',
  padding: '0 12px',
  background: theme.palette.background.paper,
  borderBottom: `1px solid ${theme.palette.divider}`,
  '&[data-side=right]': { flexDirection: 'row-reverse' },
  // Reserves the space where the settings button floats.
  [inTopBar(theme)]: {
    '&[data-side=left]': { paddingRight: 56 },
    '&[data-side=right]': { paddingLeft: 56 },
  },
  ...UNPRINTED,
}))

/** The title with the credits beside it; on a phone beneath it, where a long balance cannot break the title. */
const Who = styled('div')(({ theme }) => ({
  flex: 1,
  alignSelf: 'stretch',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minWidth: 0,
  '& strong': { flex: 1, minWidth: 0, fontWeight: 600 },
  '&[data-role=admin] strong': { flex: 'none' },
  '[data-side=right] &': { flexDirection: 'row-reverse', '& strong': { textAlign: 'right' } },
  [theme.breakpoints.down('sm')]: {
    '&, [data-side=right] &': {
      flexDirection: 'column',
      justifyContent: 'center',
      alignItems: 'stretch',
      gap: 2,
    },
    '& strong': { flex: 'none', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
    '[data-side=right] &': { textAlign: 'right' },
  },
}))

/** Reserves the height of the credits, so that the title does not move when they load. */
const Credits = styled('div')({ display: 'flow-root', minHeight: 22 })

/** Reserves all that the title leaves, so that nothing moves when a problem is told. */
const Problem = styled('div')(({ theme }) => ({
  flex: 1,
  alignSelf: 'stretch',
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'center',
  minWidth: 0,
  padding: '0 8px',
  [theme.breakpoints.down('sm')]: {
    flex: 'none',
    alignSelf: 'auto',
    display: 'block',
    height: '1.25rem',
    padding: 0,
  },
}))
