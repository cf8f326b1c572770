import { Global } from '@emotion/react'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { CircleAlert, CircleCheck, TriangleAlert, X } from 'lucide-react'
import {
  type CustomContentProps,
  closeSnackbar,
  enqueueSnackbar,
  SnackbarContent,
  type SnackbarKey,
  SnackbarProvider,
} from 'notistack'
import { type ComponentProps, type Ref, useEffect, useRef } from 'react'
import { focusTitleAfterwards } from '../focus.ts'
import { own } from '../own.ts'
import type { Tone } from '../tone.ts'
import { UNPRINTED } from '../unprinted.ts'
import { announced } from './place.ts'

export type Kind = 'success' | 'error' | 'warning'

export interface Notice {
  kind: Kind
  /** What failed, in the usual sentence of that failure. */
  about: string
  lines: readonly string[]
}

/** Shows a notice, or closes those of a failure that was followed by a success. */
export type Show = (notice: Notice | { settled: string }) => void

interface NoticeBoardProps {
  /** Passes notices to the board from now on, beginning with those that waited. Returns a function that stops it. */
  subscribe: (show: Show) => () => void
}

/** Renders the notices at the top centre, each for 6 seconds; the time stops while the pointer is over it. */
export function NoticeBoard({ subscribe }: NoticeBoardProps) {
  useEffect(
    () =>
      subscribe((notice) => {
        if ('settled' in notice) closeFailures(notice.settled)
        else showNotice(notice)
      }),
    [subscribe],
  )
  return (
    <>
      <Global styles={still} />
      <SnackbarProvider
        domRoot={announced}
        anchorOrigin={{ vertical: 'top', horizontal: 'center' }}
        autoHideDuration={6000}
        transitionDuration={
          matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : { enter: 180, exit: 140 }
        }
        maxSnack={3}
        Components={{ success: Slip, error: Slip, warning: Slip }}
      />
    </>
  )
}

/** The library closes the gap of a notice that is gone in 175 ms whatever it is told, by a style of the element. */
const still = {
  '@media (prefers-reduced-motion: reduce)': {
    '.notistack-SnackbarContainer > *': { transition: 'none !important' },
  },
}

function Slip({ id, message, variant, ref, style }: CustomContentProps & { ref?: Ref<HTMLDivElement> }) {
  const { Icon, tone } = looks[variant === 'error' || variant === 'warning' ? variant : 'success']
  const [text, reason] = String(message).split('\n')
  const pressed = useRef(false)
  // One that goes by itself takes nobody from where they read.
  useEffect(() => () => void (pressed.current && focusTitleAfterwards()), [])
  const close = () => {
    pressed.current = true
    closeSnackbar(id)
  }
  return (
    <SnackbarContent ref={ref ?? null} style={style}>
      <Paper tone={tone}>
        <Icon aria-hidden size={20} />
        <div>
          <p>{text}</p>
          {reason && <small>{reason}</small>}
        </div>
        <IconButton size="small" aria-label="Close this notice" onClick={close}>
          <X size={16} />
        </IconButton>
      </Paper>
    </SnackbarContent>
  )
}

function showNotice({ kind, about, lines }: Notice) {
  const text = lines.join('\n')
  // A repeated notice replaces the first one.
  if (last?.text === text) closeSnackbar(last.key)
  const key = enqueueSnackbar(text, { variant: kind })
  last = { text, key }
  if (kind !== 'success') failures.set(about, [...(failures.get(about) ?? []), key])
}

function closeFailures(about: string) {
  for (const key of failures.get(about) ?? []) closeSnackbar(key)
  failures.delete(about)
}

let last: { text: string; key: SnackbarKey } | undefined
const failures = new Map<string, readonly SnackbarKey[]>()

const looks: Record<Kind, { Icon: (props: ComponentProps<typeof X>) => React.ReactNode; tone: Tone }> = {
  success: { Icon: (props) => <CircleCheck {...props} />, tone: 'good' },
  error: { Icon: (props) => <CircleAlert {...props} />, tone: 'bad' },
  warning: { Icon: (props) => <TriangleAlert {...props} />, tone: 'warn' },
}

const Paper = styled(
  'div',
  own('tone'),
)<{ tone: Tone }>(({ theme, tone }) => ({
  display: 'flex',
  alignItems: 'flex-start',
  gap: 12,
  width: 'min(440px, calc(100vw - 32px))',
  padding: '12px 8px 12px 16px',
  borderRadius: 12,
  border: `1px solid ${theme.palette.tones[tone].line}`,
  background: theme.palette.background.paper,
  color: theme.palette.text.primary,
  boxShadow: theme.shadows[8],
  overflowWrap: 'anywhere',
  '& > svg': { flex: 'none', color: theme.palette.tones[tone].text },
  '& > div': { flex: 1, minWidth: 0 },
  '& small': { fontSize: '0.75rem', color: theme.palette.text.secondary },
  // The button is higher than a line, in whose middle it stands without making it higher.
  '& button': {
    marginBlock: 'calc((1.25rem - 32px) / 2)',
    '@media (pointer: coarse)': { marginBlock: 'calc((1.25rem - 44px) / 2)' },
  },
  ...UNPRINTED,
}))
