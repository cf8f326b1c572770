import { styled } from '@mui/material/styles'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { expiryState } from '../../contract/clients.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import type { ApiError } from '../calls/api.ts'
import { loadAgain } from '../calls/cache.ts'
import { isUnanswered } from '../calls/submits.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { now } from '../clock.ts'
import { clientForm, draftOf, dropSent, onDraftSent } from '../drafts.ts'
import { KeepDraft } from '../KeepDraft.tsx'
import { Card } from '../parts/Card.tsx'
import { differing } from '../parts/differing.ts'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { SwitchInput } from '../parts/form/SwitchInput.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { PassingButton } from '../parts/PassingButton.tsx'
import { to } from '../screens.ts'
import { useSession } from '../session.tsx'
import { Expiry } from '../tables/expiry.tsx'
import { AddMonths } from './AddMonths.tsx'
import {
  type Base,
  baseFrom,
  type ClientDraft,
  type ClientValues,
  changesOf,
  draftFrom,
  EMPTY_CLIENT,
  followed,
  hasDraft,
  isRenewalOf,
  typedOver,
  valuesOf,
} from './clientForm.ts'
import { DescriptionField, MacField, PackageField, PhoneField } from './fields.tsx'
import { useMacLastSeen } from './useMacLastSeen.tsx'
import { useMacOfTrial } from './useMacOfTrial.ts'
import { Warning } from './Warning.tsx'

interface UpdateCardProps {
  /** Undefined while it loads. */
  client: ClientDetail | undefined
  expired: boolean
  /** Loads the client again and returns it; fails where that fails. */
  reload: () => Promise<ClientDetail | undefined>
}

/** The form for all data of a client. It sends only changed fields. An expired client can only be renewed. */
export function UpdateCard({ client, expired, reload }: UpdateCardProps) {
  const { name: dealer } = useSession()
  const [base, setBase] = useState<Base>({ values: EMPTY_CLIENT, isRestored: false })
  const [discarded, setDiscarded] = useState(0)
  const [payable, setPayable] = useState(true)
  const [reloading, setReloading] = useState(false)
  const form = clientForm(client?.name ?? '')
  // Months are for the expiry that was loaded.
  const isOld = useIsOld(calls.clients.detail)
  const wasExpired = useRef(false)
  const save = useSubmit(calls.clients.save, {
    onDone: (_, input) => dropSent(dealer, form, input),
    goTo: { path: to.clients(), after: 2_000 },
  })
  const discard = () => {
    if (client) setBase(baseFrom(client, null))
    setDiscarded((times) => times + 1)
  }
  const draft = base.isRestored ? draftOf<ClientDraft>(dealer, form) : null
  const mayBeSent =
    draft !== null &&
    isUnanswered(dealer, calls.clients.save, (input) => hasDraft(input, client?.name, draft))
  const submit = (typed: ClientValues) => {
    if (!client || !base.seen) return
    // It may have expired since the page was drawn last. Months are for the expiry that was shown. What has no answer
    // is sent again as it was, although the client may have expired or been renewed since.
    const { expiry } = typed.months > 0 ? base.seen : client
    if (!save.unanswered) wasExpired.current = expiryState(expiry, now()) === 'expired'
    save.submit(changesOf(base.seen, typed, wasExpired.current))
  }
  return (
    <Card title="Client" aside={client && <Expiry iso={client.expiry} />}>
      <Form
        schema={asTyped}
        values={base.values}
        resetKey={discarded}
        label="Update Client"
        onSubmit={submit}
        disabled={!base.seen}
        blocked={!payable || reloading || (isOld && !save.unanswered)}
        sending={save}
        aside={
          save.outdated && (
            <Reload
              seen={base.seen}
              reload={reload}
              onWait={setReloading}
              onBase={(next) => {
                save.reset()
                setBase(next)
              }}
            />
          )
        }
      >
        <Follow client={client} base={base} isHeld={save.loading || save.unanswered} onBase={setBase} />
        <KeepDraft<ClientValues>
          form={form}
          draftFrom={(typed) => (base.seen ? draftFrom(base.seen, typed) : null)}
          isRestored={base.isRestored}
          mayBeSent={mayBeSent}
          isSending={save.loading}
          onDiscard={discard}
          hasPassword
        />
        <Fields
          client={client}
          mac={base.seen?.mac}
          expired={expired}
          isSending={save.loading}
          unanswered={save.unanswered}
          refused={save.refused}
          onPayable={setPayable}
        />
      </Form>
    </Card>
  )
}

interface FieldsProps extends OfMac {
  client: ClientDetail | undefined
  expired: boolean
  /** True while the form is being sent, and until the next page opens. */
  isSending: boolean
  /** True where nobody knows whether it was carried out. */
  unanswered: boolean
  refused: ApiError['code'] | undefined
  onPayable: (payable: boolean) => void
}

function Fields({ client, mac, expired, isSending, unanswered, refused, onPayable }: FieldsProps) {
  useMacOfTrial(refused)
  return (
    <>
      <Switches>
        <SwitchInput name="status" label="Active" disabled={expired} />
        <SwitchInput name="locked" label="IP Lock" disabled={expired} />
        <SwitchInput name="ministra" label="Ministra" disabled={expired} />
        <SwitchInput name="alt_player" label="Alt Player" disabled={expired} />
      </Switches>
      <WithoutMac mac={mac} />
      <PasswordInput name="password" label="Password" autoComplete="new-password" disabled={expired} />
      <DescriptionField disabled={expired} />
      <PhoneField disabled={expired} />
      <MacUnlessMinistra mac={mac} disabled={expired} />
      <AddMonths {...{ client, expired, isSending, unanswered, onPayable }} />
      <PackageField disabled={expired} />
    </>
  )
}

/** The specification sets no limits here. The server has its own, and reports refused fields. */
const asTyped = z.custom<ClientValues>()

interface FollowProps extends Pick<UpdateCardProps, 'client'> {
  base: Base
  /**
   * True while the form is being sent, and where nobody knows whether it was carried out: it is sent again as it was.
   */
  isHeld: boolean
  onBase: (base: Base) => void
}

/** Fills the form once the client has loaded, and again when it changed elsewhere, but for what was typed. */
function Follow({ client, base, isHeld, onBase }: FollowProps) {
  const { name: dealer } = useSession()
  const { getValues } = useFormContext<ClientValues>()
  const last = useRef<ClientDetail>(undefined)
  useEffect(() => {
    if (!client || client === last.current || isHeld) return
    last.current = client
    const { seen } = base
    if (seen) return onBase(followed({ ...base, seen }, client, getValues()))
    const draft = draftOf<ClientDraft>(dealer, clientForm(client.name))
    onBase(baseFrom(client, draft))
  }, [client, dealer, base, isHeld, onBase, getValues])
  // What was sent before the reload, or before the form was opened again, has been answered, so the restored draft is
  // no longer unsent. Keep only what was typed since. The form that sent it follows once it has settled.
  useEffect(
    () =>
      onDraftSent((form) => {
        if (!client || !base.isRestored || isHeld || form !== clientForm(client.name)) return
        const typed = differing(getValues(), base.values)
        const { values, ...next } = baseFrom(client, draftOf<ClientDraft>(dealer, form))
        onBase({ ...next, values: { ...values, ...typed } })
      }),
    [client, dealer, base, isHeld, onBase, getValues],
  )
  return null
}

interface ReloadProps {
  seen: ClientDetail | undefined
  reload: UpdateCardProps['reload']
  /** Is told when the loading begins and when it has ended: what is sent meanwhile would be refused once more. */
  onWait: (waits: boolean) => void
  onBase: (base: Base) => void
}

/** Loads what somebody else changed, and keeps what was typed. */
function Reload({ seen, reload, onWait, onBase }: ReloadProps) {
  const { name: dealer } = useSession()
  const { getValues, setValue } = useFormContext<ClientValues>()
  const cache = useQueryClient()
  const notice = useNotice()
  const load = async () => {
    onWait(true)
    const fresh = await reload().catch(({ message }: ApiError) => {
      notice.error(NOT_LOADED, message)
    })
    if (fresh) notice.settle(NOT_LOADED)
    if (fresh && seen) {
      // The months that have changed the expiry may be those that this form has sent itself.
      const mayBePaid = isUnanswered(dealer, calls.clients.save, (input) => isRenewalOf(input, seen))
      if (mayBePaid && fresh.expiry !== seen.expiry) setValue('months', 0)
      loadAgain(cache, [calls.clients.quote])
      onBase({
        seen: fresh,
        values: { ...valuesOf(fresh), ...typedOver(seen, getValues()) },
        isRestored: false,
      })
    }
    onWait(false)
  }
  return (
    <PassingButton variant="outlined" onClick={load}>
      Reload
    </PassingButton>
  )
}

const NOT_LOADED = 'Error loading the client. Please try again.'

interface OfMac {
  /** The stored MAC; undefined while it loads. */
  mac: string | null | undefined
}

/** Warns that switching to Ministra removes the MAC and the data of its box. */
function WithoutMac({ mac }: OfMac) {
  const isLost = useWatch({ name: 'ministra' }) === true && typeof mac === 'string'
  return (
    <Warning role="status">
      {isLost && <p>Ministra removes the MAC {mac} and everything known about its box.</p>}
    </Warning>
  )
}

function MacUnlessMinistra({ mac, disabled }: OfMac & { disabled: boolean }) {
  const [ministra, typed] = useWatch({ name: ['ministra', 'stb_mac'] })
  const lastSeen = useMacLastSeen(ministra === true || typed === mac ? '' : typed)
  if (ministra === true) return null
  const isOther = typeof mac === 'string' && typed !== mac
  const help = isOther ? (
    <>
      Replaces {mac}. A new MAC removes everything known about its box.{lastSeen && <> {lastSeen}.</>}
    </>
  ) : (
    lastSeen
  )
  return <MacField disabled={disabled} help={help} />
}

const Switches = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(120px, 1fr))',
  marginBottom: 8,
})
