import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { counted } from '../../contract/quantities.ts'
import { CREDIT_REQUEST, clientForm, draftOf, dropSent, dropSentDraft, MESSAGE } from '../drafts.ts'
import { useNotice } from '../parts/notices/Notices.tsx'
import { useSession } from '../session.tsx'
import { loadAgain } from './cache.ts'
import { namedIn } from './named.ts'
import { noticesOf, tellFailure, tellSuccess } from './notices.ts'
import { submitOnce, takeCutOff, takeUnanswered } from './submits.ts'
import { markNamed } from './useSubmit.ts'

/**
 * Sends the submits that a reload interrupted again, with the same idempotency keys, and shows their notices. Those
 * that the end of the session has cut off are only told of: the person may have given them up.
 */
export function useUnansweredSubmits(): void {
  const { name } = useSession()
  const cache = useQueryClient()
  const notice = useNotice()
  useEffect(() => {
    for (const { call, input, mayBeDone } of takeCutOff(name)) {
      const ended = mayBeDone ? ENDED_MEANWHILE : ENDED_BEFORE
      notice.warning(noticesOf(call)?.failure ?? INTERRUPTED, `${ended}${aboutOf(input)}`)
    }
    for (const unanswered of takeUnanswered(name)) sendAgain(unanswered)

    function sendAgain({ call, input, isWhole }: ReturnType<typeof takeUnanswered>[number]): void {
      const notices = noticesOf(call)
      if (!isWhole) {
        const named = Object.keys(input).length > 0 ? notices?.interrupted?.(input) : undefined
        notice.warning(named ?? INTERRUPTED)
        return
      }
      const form = formOf(call)
      const restored = form ? draftOf(name, form) : null
      submitOnce(call, input, name)
        .then(({ output }) => {
          tellSuccess(notice, notices, { input, output })
          markNamed(input)
          const { login } = namedIn(input)
          if (form) dropSentDraft(name, form, restored)
          else if (call === calls.clients.save && login) dropSent(name, clientForm(login), input)
          loadAgain(cache)
        })
        .catch((failure) => tellFailure(notice, notices, failure))
    }
  }, [name, cache, notice])
}

// Of a longer work, such as a renewal of thousands, only this part was not done.
const ENDED_BEFORE = 'Your session had ended, so this was not done.'
const ENDED_MEANWHILE = 'Your session ended before the answer came. Please look whether it was done.'

const INTERRUPTED = 'A change was interrupted. Please look whether it was made.'

/** Says which account or clients a change is of, where it names some. */
function aboutOf(input: object): string {
  const { name, login = name, clients } = namedIn(input)
  const about = login ?? (clients && counted(clients.length, 'client'))
  return about === undefined ? '' : ` It was about ${about}.`
}

/** Returns the form whose whole draft a call has sent. */
function formOf(call: Call): string | undefined {
  if (call === calls.requests.ask) return CREDIT_REQUEST
  return call === calls.admin.setMessage ? MESSAGE : undefined
}
