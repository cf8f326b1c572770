import { styled } from '@mui/material/styles'
import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { listed } from '../../contract/quantities.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { useCall } from '../calls/useCall.ts'
import { otherTabHasDrafts, titlesOfDrafts } from '../drafts.ts'
import { Confirm } from '../parts/dialog/Confirm.tsx'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { menuOf, to } from '../screens.ts'
import { signOut, useSession } from '../session.tsx'
import { CreditsChip } from './CreditsChip.tsx'
import { Mark } from './Mark.tsx'
import { useScreen } from './useScreen.ts'

/** The menu of the caller's role; collapsed, it shows icons only. */
export function Sidebar({ collapsed }: { collapsed: boolean }) {
  const { name, role } = useSession()
  const screen = useScreen()
  const here = screen?.under ?? screen
  const [asked, setAsked] = useState<string | null>(null)
  const where = useLastValue(asked)
  const leave = async () => {
    const titles = titlesOfDrafts(name)
    const places = titles.length > 0 ? [`on ${listed(titles)}`] : []
    if (await otherTabHasDrafts()) places.push('in another tab')
    if (places.length > 0) setAsked(places.join(' and '))
    else signOut()
  }
  const waiting = useWaiting()
  return (
    <Side data-collapsed={collapsed}>
      <Who>
        <Mark size={36} />
        {!collapsed && (
          <div>
            <strong data-hint={name} data-hint-cut="">
              {name}
            </strong>
            <CreditsChip />
          </div>
        )}
      </Who>
      <nav aria-label="Main">
        <ul>
          {menuOf(role).map(({ path, item: { label, icon: Icon } }) => (
            <li key={path}>
              <Item
                as={Link}
                to={path}
                aria-current={here?.path === path ? 'page' : undefined}
                aria-label={waiting[path] ? `${label} ${waiting[path]} open` : label}
                data-hint={collapsed ? label : undefined}
              >
                <Icon aria-hidden size={20} />
                {!collapsed && <span>{label}</span>}
                {/* The space is part of the text, which the name has to contain. */ ' '}
                {waiting[path] !== undefined && <Count>{waiting[path]}</Count>}
              </Item>
            </li>
          ))}
          <li>
            <Item
              as="button"
              type="button"
              onClick={leave}
              aria-label="Logout"
              data-hint={collapsed ? 'Logout' : undefined}
            >
              <LogOut aria-hidden size={20} />
              {!collapsed && <span>Logout</span>}
            </Item>
          </li>
        </ul>
      </nav>
      <Confirm
        open={asked !== null}
        title="Log out?"
        yes="Logout"
        no="Stay"
        onYes={signOut}
        onNo={() => setAsked(null)}
      >
        <p>You have unsent entries {where}. They are lost with a logout.</p>
      </Confirm>
    </Side>
  )
}

/** Returns how many things wait for an answer, by the path of the screen that has them. */
function useWaiting(): Record<string, number | undefined> {
  const { role } = useSession()
  const { data } = useCall(calls.requests.list, {}, { enabled: role !== 'dealer', every: MINUTE_MS })
  const open = data?.data.length ?? 0
  return { [to.creditRequests()]: open > 0 ? open : undefined }
}

const Count = styled('span')(({ theme }) => ({
  marginLeft: 'auto',
  minWidth: 20,
  padding: '0 6px',
  borderRadius: 10,
  textAlign: 'center',
  fontSize: '0.75rem',
  fontVariantNumeric: 'tabular-nums',
  lineHeight: '20px',
  color: theme.palette.accent.onMain,
  background: theme.palette.accent.main,
  '[data-collapsed=true] &': { position: 'absolute', top: 2, right: 2 },
}))

const Side = styled('div')({
  padding: 12,
  '&[data-collapsed=true]': { padding: '12px 8px' },
  '& nav ul': { display: 'grid', gap: 4 },
})

const Who = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  minHeight: 48,
  padding: '0 4px',
  marginBottom: 16,
  '& > svg': { flex: 'none' },
  // Reserves the height of the credits, so that nothing moves when they load.
  '& div': {
    display: 'grid',
    alignContent: 'start',
    justifyItems: 'start',
    gap: 2,
    minWidth: 0,
    minHeight: 44,
  },
  '& strong': {
    maxWidth: '100%',
    fontWeight: 600,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
})

const Item = styled('a')<{ to?: string; type?: string }>(({ theme }) => ({
  position: 'relative',
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  width: '100%',
  minHeight: 44,
  padding: '0 12px',
  border: 0,
  borderRadius: 8,
  background: 'none',
  color: theme.palette.text.secondary,
  textAlign: 'left',
  textDecoration: 'none',
  cursor: 'pointer',
  '& svg': { flex: 'none' },
  '&:hover': { color: theme.palette.text.primary, background: theme.palette.tones.plain.fill },
  '&[aria-current=page]': {
    color: theme.palette.accent.text,
    background: theme.palette.accent.fill,
    fontWeight: 600,
  },
}))
