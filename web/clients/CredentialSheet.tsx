import './credentials.css'
import Button from '@mui/material/Button'
import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { Copy, Printer, QrCode, Share2, UserPlus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { Link } from 'react-router'
import { OnDay } from '../moments.tsx'
import { Buttons } from '../parts/Buttons.tsx'
import { Toggle } from '../parts/form/Toggle.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { to } from '../screens.ts'
import { useCopy } from '../useCopy.ts'
import { type Credentials, credentialLines, credentialsText } from './credentials.ts'
import { SendTo } from './SendTo.tsx'

interface CredentialSheetProps {
  client: Credentials
  /** Begins the form of another client; without it, a link leads there. */
  onAnother?: (() => void) | undefined
  /** Closes the sheet over the form in which the client's number can be typed; without it, a button leads there. */
  onType?: (() => void) | undefined
}

/** What a client needs for its box: to be copied, sent, scanned or printed. */
export function CredentialSheet({ client, onAnother, onType }: CredentialSheetProps) {
  const copy = useCopy()
  const qr = useQr(credentialsText(client, { withPassword: true }))
  const another = onAnother ? { onClick: onAnother } : { component: Link, to: to.newClient() }
  return (
    <>
      <Lines>
        {credentialLines(client).map(({ label, value, typed, moment }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <span className={typed && 'identifier'}>
                {moment ? <OnDay iso={moment} /> : <Breaking text={value} after={BREAKS[label]} />}
              </span>
              {typed && (
                <IconButton
                  size="small"
                  aria-label={`Copy the ${label === 'MAC' ? label : label.toLowerCase()}`}
                  onClick={() => copy(value)}
                >
                  <Copy size={16} />
                </IconButton>
              )}
            </dd>
          </div>
        ))}
      </Lines>
      {qr.drawn && <Code {...qr.drawn} />}
      <Buttons>
        <Button
          autoFocus
          variant="contained"
          startIcon={<Copy size={18} />}
          onClick={() => copy(credentialsText(client, { withPassword: true }))}
        >
          Copy all
        </Button>
        <Button
          variant="outlined"
          startIcon={<QrCode size={18} />}
          aria-pressed={qr.drawn !== null}
          onClick={qr.turn}
        >
          QR code
        </Button>
        <Button variant="outlined" startIcon={<Printer size={18} />} onClick={() => window.print()}>
          Print
        </Button>
        <Button variant="outlined" startIcon={<UserPlus size={18} />} {...another}>
          Another client
        </Button>
      </Buttons>
      <SendOn client={client} onType={onType} />
      {createPortal(<Printed client={client} qr={qr.drawn} />, document.body)}
    </>
  )
}

/** After which sign a line breaks where it has to. */
const BREAKS: Record<string, string> = { MAC: ':', Package: '/' }

function Breaking({ text, after }: { text: string; after: string | undefined }) {
  const end = after === undefined ? -1 : text.indexOf(after)
  if (end < 0) return text
  return (
    <>
      {text.slice(0, end + 1)}
      <wbr />
      <Breaking text={text.slice(end + 1)} after={after} />
    </>
  )
}

/** Sends the credentials through another service, which learns the password only if the person chooses that. */
function SendOn({ client, onType }: Omit<CredentialSheetProps, 'onAnother'>) {
  const [withPassword, setWithPassword] = useState(false)
  const text = credentialsText(client, { withPassword })
  return (
    <Send>
      <Toggle label="With password" checked={withPassword} onChange={setWithPassword} />
      <Buttons>
        <SendTo client={client} text={text} onType={onType} />
        {'share' in navigator && (
          // Whoever closes the system's dialog has decided against it, which is no failure.
          <Button
            variant="outlined"
            startIcon={<Share2 size={18} />}
            onClick={() => navigator.share({ text }).catch(() => {})}
          >
            Share
          </Button>
        )}
      </Buttons>
    </Send>
  )
}

type Drawn = { path: string; width: number }

/** Draws the text as a QR code in this browser, with code that is loaded when it is first asked for. */
function useQr(text: string) {
  const [made, setMade] = useState<(Drawn & { text: string }) | null>(null)
  // The credentials may have been loaded again since.
  const drawn = made?.text === text ? made : null
  const notice = useNotice()
  const draw = async () => {
    try {
      const { drawQr } = await import('./qr.ts')
      setMade({ ...drawQr(text), text })
    } catch {
      notice.error('Error drawing the QR code. Please try again.')
    }
  }
  return { drawn, turn: () => (drawn ? setMade(null) : draw()) }
}

function Code({ path, width }: Drawn) {
  return (
    <svg
      role="img"
      aria-label="QR code of these credentials"
      className="qr"
      viewBox={`0 0 ${width} ${width}`}
      shapeRendering="crispEdges"
    >
      <rect width={width} height={width} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}

/** The page that is printed instead of the screen. */
function Printed({ client, qr }: { client: Credentials; qr: Drawn | null }) {
  useEffect(() => {
    const { dataset } = document.documentElement
    dataset.prints = ''
    return () => {
      delete dataset.prints
    }
  }, [])
  return (
    <div className="printed">
      <dl>
        {credentialLines(client).map(({ label, value, typed }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={typed && 'identifier'}>{value}</dd>
          </div>
        ))}
      </dl>
      {qr && <Code {...qr} />}
    </div>
  )
}

const Lines = styled('dl')(({ theme }) => ({
  '& > div': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    minHeight: 44,
    borderTop: `1px solid ${theme.palette.divider}`,
  },
  '& > div:first-of-type': { borderTop: 0 },
  // No wider than the longest label, so that a MAC has a line of its own on a phone.
  '& dt': { flex: '0 0 4.5rem', color: theme.palette.text.secondary },
  '& dd': { display: 'flex', alignItems: 'center', gap: 8, flex: 1, minWidth: 0, fontWeight: 600 },
  '& dd span': { flex: 1, minWidth: 0, overflowWrap: 'anywhere' },
}))

const Send = styled('div')(({ theme }) => ({
  marginTop: 16,
  paddingTop: 8,
  borderTop: `1px solid ${theme.palette.divider}`,
  '& > div': { marginTop: 4 },
}))
