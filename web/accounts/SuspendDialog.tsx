import { useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { counted, countedOf, listed } from '../../contract/quantities.ts'
import { type AccountBeneath, SuspensionReason } from '../../contract/tree.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { differing } from '../parts/differing.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { CheckboxInput } from '../parts/form/SwitchInput.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'

interface SuspendDialogProps {
  open: boolean
  /** Undefined while it is loading; the dialog opens only after that. */
  account: AccountBeneath | undefined
  onClose: () => void
}

/**
 * Asks for the reason of a suspension, and says whom it stops. It closes where somebody else has changed the suspension
 * first: the page then shows the present one, and what was typed or ticked is there at the next opening.
 */
export function SuspendDialog({ open, account, onClose }: SuspendDialogProps) {
  const [sent, setSent] = useState<Partial<typeof FIRST>>({})
  const close = () => {
    setSent({})
    onClose()
  }
  const suspend = useSubmit(calls.tree.suspend, { onDone: close, onOutdated: onClose })
  const present = account?.suspension ?? FIRST
  const { reason, service_too } = { ...present, ...sent }
  const values = useMemo(() => ({ reason, service_too }), [reason, service_too])
  if (!account) return null
  const { name } = account
  return (
    <FormDialog
      open={open}
      title={account.suspension ? `Change the suspension of ${name}` : `Suspend ${name}`}
      onClose={close}
      schema={Suspension}
      values={values}
      autoFocus
      label={account.suspension ? 'Change suspension' : `Suspend ${name}`}
      onSubmit={(chosen) => {
        setSent(differing(chosen, present))
        suspend.submit({ name, ...chosen, seen: account.suspension?.since ?? null })
      }}
      sending={suspend}
      // Somebody above may have suspended it while this is open.
      blocked={!mayChange(account)}
    >
      <Consequences account={account} />
      <TextInput name="reason" label="Reason" multiline help="For you and those above you" />
      <CheckboxInput name="service_too" label="Stop the service of its clients too" />
    </FormDialog>
  )
}

function mayChange({ suspension }: AccountBeneath): boolean {
  return suspension === null || suspension.liftable
}

const FIRST = { reason: '', service_too: false }

const Suspension = z.object({ reason: SuspensionReason, service_too: z.boolean() })

/** Tells what becomes of clients that a suspension has stopped already: none of them counts as served. */
function changed({ suspended_above }: AccountBeneath, serviceToo: boolean): string {
  if (serviceToo) return 'Its clients stay without service.'
  return `Its clients are served again${suspended_above ? ', unless a suspension above stops them' : ''}.`
}

/** Counts whom the suspension stops, and whom it does not. */
function Consequences({ account }: { account: AccountBeneath }) {
  const { name, beneath, suspension } = account
  const serviceToo = useWatch({ name: 'service_too' }) === true
  const { resellers, dealers, served } = beneath
  const others = countedOf({ reseller: resellers, dealer: dealers })
  const clients = counted(served, 'client')
  return (
    <p aria-live="polite">
      {listed([name, ...others])}{' '}
      {suspension
        ? `${others.length > 0 ? 'stay' : 'stays'} signed out.`
        : `${others.length > 0 ? 'are' : 'is'} signed out at once and cannot sign in.`}{' '}
      <strong>
        {suspension?.service_too
          ? changed(account, serviceToo)
          : serviceToo
            ? `${clients} ${served === 1 ? 'loses its' : 'lose their'} service.`
            : `${clients} ${served === 1 ? 'stays' : 'stay'} served.`}
      </strong>
      {!mayChange(account) && ' Only somebody above you can change or lift this suspension.'}
    </p>
  )
}
