import { expiryState } from '../../contract/clients.ts'
import { countedOf, listed } from '../../contract/quantities.ts'
import { now } from '../clock.ts'
import { OnDay } from '../moments.tsx'
import { monthsUntil } from '../parts/time.ts'
import { zone } from '../zone.ts'

interface LossProps {
  client: { name: string; dealer: string; expiry: string }
}

/** Says which dealer's client it is, and how many paid months its deletion loses. */
export function Loss({ client: { name, dealer, expiry } }: LossProps) {
  return (
    <>
      {name} is a client of {dealer}. <Rest expiry={expiry} /> This cannot be undone.
    </>
  )
}

function Rest({ expiry }: { expiry: string }) {
  const day = <OnDay iso={expiry} />
  if (expiryState(expiry, now()) === 'expired') return <>It expired on {day}, so nothing is lost.</>
  const left = monthsUntil(expiry, zone(), now())
  const parts = countedOf({ month: left.months, day: left.days })
  if (parts.length === 0) return <>Its service ends today, so nothing but the rest of today is lost.</>
  const isOne = left.months + left.days === 1
  return (
    <>
      It is served until {day}: {listed(parts)} of service {isOne ? 'is' : 'are'} lost, and no credits come
      back.
    </>
  )
}
