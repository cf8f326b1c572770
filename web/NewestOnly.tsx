import { Quiet } from './parts/Quiet.tsx'
import { TouchLink } from './parts/TouchLink.tsx'
import { to } from './screens.ts'

/** Says that a table has the newest 1,000 transactions only, and leads to all: of an account, or of a client. */
export function NewestOnly(selected: { account?: string; client?: string }) {
  return (
    <Quiet>
      of the newest 1,000: <TouchLink to={to.transactions(selected)}>all</TouchLink>
    </Quiet>
  )
}
