import Button from '@mui/material/Button'
import { styled, useTheme } from '@mui/material/styles'
import { CircleAlert, ShieldCheck } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useReducer, useRef, useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { Spinner } from '../Spinner.tsx'
import { type CaptchaOffer, draw, type LoadedCaptcha, loadCaptcha, takeLoaded } from './solving.ts'

interface CaptchaProps {
  /** The form field that holds the solution; undefined until it is solved. */
  name: string
  /** Loads a new challenge. Pass the same function at every render. */
  load: () => Promise<CaptchaOffer>
  /** Another number loads a new challenge, as after a failed login, because a solution is valid once. */
  round: number
}

/** The captcha. The server's own challenge is solved while the person types; other providers show their widget. */
export function Captcha({ name, load, round }: CaptchaProps) {
  const [tries, again] = useReducer((before: number) => before + 1, 0)
  return <Challenge key={`${round}.${tries}`} {...{ name, load, again }} />
}

interface ChallengeProps {
  name: string
  load: () => Promise<CaptchaOffer>
  again: () => void
}

function Challenge(props: ChallengeProps) {
  const place = useRef<HTMLDivElement>(null)
  const { state, reason, provider } = useSolution(props, place)
  if (provider === 'none') return null
  return (
    <Frame>
      <div ref={place} hidden={provider === 'altcha'} />
      {(provider === 'altcha' || state !== 'asking') && (
        <Status role="status" data-state={state}>
          {looks[state].icon}
          <span>
            {looks[state].text}
            {reason && <small>{reason}</small>}
          </span>
          {state === 'failed' && (
            <Button size="small" onClick={props.again}>
              Try again
            </Button>
          )}
        </Status>
      )}
      {provider === 'altcha' && !isSecureContext && (
        <small>This page is not encrypted (no HTTPS), so this takes a little longer.</small>
      )}
    </Frame>
  )
}

type State = 'asking' | 'solved' | 'failed'

const looks: Record<State, { icon: ReactNode; text: string }> = {
  asking: { icon: <Spinner size={18} />, text: 'Checking that you are human…' },
  solved: { icon: <ShieldCheck aria-hidden size={18} />, text: 'Verified' },
  failed: { icon: <CircleAlert aria-hidden size={18} />, text: 'The check could not be made.' },
}

/** A solution is valid for five minutes; it is replaced a minute earlier. */
const RENEWED_AFTER_MS = 240_000

/** Loads one challenge and writes its solution into the form. */
function useSolution({ name, load, again }: ChallengeProps, place: RefObject<HTMLDivElement | null>) {
  const { setValue } = useFormContext()
  const theme = useTheme().palette.mode
  const [state, setState] = useState<State>('asking')
  // Why it has failed, where that is known.
  const [reason, setReason] = useState('')
  const [provider, setProvider] = useState<CaptchaOffer['provider']>('altcha')
  useEffect(() => {
    const leaving = new AbortController()
    const settle = (text: string | undefined, next: State, why = '') => {
      if (leaving.signal.aborted) return
      setValue(name, text, { shouldValidate: true })
      setState(next)
      setReason(why)
    }
    const begin = async () => {
      const loaded = await (takeLoaded(leaving.signal) ?? loadCaptcha(load, leaving))
      const { offer, at } = loaded
      if (leaving.signal.aborted) return
      setProvider(offer.provider)
      if (offer.provider === 'none') return settle('', 'solved')
      if (offer.provider === 'altcha') {
        // Its age is that of the challenge: the machine may sleep while it is solved, and the form may come late.
        onceOld(RENEWED_AFTER_MS, at, leaving.signal, again)
        const solution = await loaded.solution
        return settle(solution ?? undefined, solution ? 'solved' : 'failed')
      }
      if (!place.current) return
      await draw(offer.provider, place.current, {
        sitekey: offer.site_key ?? '',
        theme,
        callback: (text) => settle(text, 'solved'),
        'expired-callback': () => settle(undefined, 'asking'),
        'error-callback': () => settle(undefined, 'failed'),
      })
    }
    settle(undefined, 'asking')
    begin().catch((error) => settle(undefined, 'failed', error?.message))
    return () => leaving.abort()
  }, [name, load, again, theme, place, setValue])
  return { state, reason, provider }
}

/**
 * Calls `act` once something is so many milliseconds old, but not before the page is visible: a hidden page solves no
 * challenges. Timers stand still while a machine sleeps, and a clock may be set, so both are asked.
 */
function onceOld(age: number, began: LoadedCaptcha['at'], signal: AbortSignal, act: () => void) {
  const look = () => {
    const isOld = Date.now() - began[0] >= age || performance.now() - began[1] >= age
    if (isOld && !document.hidden) act()
  }
  const timer = setInterval(look, LOOKED_AT_MS)
  document.addEventListener('visibilitychange', look, { signal })
  window.addEventListener('pageshow', look, { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
}

/** How soon an old solution is noticed after a machine has slept with the page in view. */
const LOOKED_AT_MS = 2_000

const Frame = styled('div')(({ theme }) => ({
  '& small': { display: 'block', paddingTop: 4, fontSize: '0.75rem', color: theme.palette.text.secondary },
}))

const Status = styled('p')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 40,
  color: theme.palette.text.secondary,
  '&[data-state=solved] svg': { color: theme.palette.tones.good.text },
  '&[data-state=failed]': { color: theme.palette.tones.bad.text },
  '& button': { marginLeft: 'auto' },
}))
