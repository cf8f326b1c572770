import { useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useLocation } from 'react-router'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import {
  CLIENT_LOGIN_LENGTH,
  CLIENT_PASSWORD_LENGTH,
  MAC_HAD_TRIAL,
  Mac,
  Phone,
} from '../../contract/clients.ts'
import { PACKAGES } from '../../contract/packages.ts'
import { counted, inCredits, shortage } from '../../contract/quantities.ts'
import { inCharacters, trimmed } from '../../contract/text.ts'
import type { ApiError } from '../calls/api.ts'
import { isUnanswered } from '../calls/submits.ts'
import { useBalance } from '../calls/useBalance.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { useSureBalance } from '../calls/useSureBalance.ts'
import { AskForMore } from '../clients/AskForMore.tsx'
import type { Credentials } from '../clients/credentials.ts'
import { DescriptionField, MacField, PackageField, PhoneField, Suggest } from '../clients/fields.tsx'
import { MadeClient } from '../clients/MadeClient.tsx'
import { type NewClientValues, newClientSchema, startCost } from '../clients/newClient.ts'
import { START_OPTIONS } from '../clients/startOptions.ts'
import { suggestLogin, suggestPassword } from '../clients/suggest.ts'
import { useMacLastSeen } from '../clients/useMacLastSeen.tsx'
import { useMacOfTrial } from '../clients/useMacOfTrial.ts'
import { NEW_CLIENT } from '../drafts.ts'
import { KeepDraft, useDraft } from '../KeepDraft.tsx'
import { PageHead } from '../PageHead.tsx'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { CheckboxInput } from '../parts/form/SwitchInput.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { useEndOfError } from '../parts/form/useEndOfError.ts'
import { number } from '../parts/number.ts'
import { useHeld } from '../parts/useHeld.ts'
import { useSession } from '../session.tsx'

/** Creates a client, on a trial or for paid months. */
export function NewClient() {
  const { name } = useSession()
  const { values, emptied, noteSent, forget, keep } = useDraft(NEW_CLIENT, calls.clients.create, EMPTY)
  const [mayBeSent] = useState(() => isUnanswered(name, calls.clients.create, (input) => isOf(input, values)))
  const { key } = useLocation()
  // Whoever calls this page again, as from the menu, gets the form of another client.
  const [made, setMade] = useState<{ client: Credentials; at: string } | null>(null)
  const create = useSubmit(calls.clients.create, {
    onDone: (output, input) => {
      forget()
      setMade({ client: credentialsOf(input, output), at: key })
    },
  })
  const isHeld = create.loading || create.unanswered
  const balance = useHeld(useSureBalance(), isHeld)
  const schema = useMemo(() => newClientSchema(balance), [balance])
  const submit = (input: InputOf<typeof calls.clients.create>) => {
    noteSent()
    create.submit(input)
  }
  return (
    <>
      <PageHead title="New Client" />
      {made?.at === key ? (
        <MadeClient client={made.client} onAnother={() => setMade(null)} />
      ) : (
        <Card form>
          <Form
            schema={schema}
            values={values}
            resetKey={emptied}
            label="Submit"
            onlyWhenValid
            // Of what is typed into a checkbox nothing remains.
            autoFocus="login"
            onSubmit={submit}
            sending={create}
          >
            <KeepDraft {...keep} mayBeSent={mayBeSent} isSending={create.loading} />
            <Fields balance={balance} isHeld={isHeld} refused={create.refused} />
          </Form>
        </Card>
      )}
    </>
  )
}

interface FieldsProps {
  balance: number | null | undefined
  /**
   * True while the client is being made, and where nobody knows whether it was: it would count as one that is there.
   */
  isHeld: boolean
  refused: ApiError['code'] | undefined
}

function Fields({ balance, isHeld, refused }: FieldsProps) {
  const trials = useTrials(isHeld)
  useMacOfTrial(refused)
  return (
    <>
      <CheckboxInput name="ministra" label="Ministra" />
      <TextInput
        name="login"
        label="Login Name"
        identifier
        help={inCharacters(CLIENT_LOGIN_LENGTH)}
        action={<Suggest name="login" what="a login" suggest={suggestLogin} />}
      />
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="new-password"
        help={inCharacters(CLIENT_PASSWORD_LENGTH)}
        action={<Suggest name="password" what="a password" suggest={suggestPassword} />}
      />
      <DescriptionField />
      <MacUnlessMinistra trials={trials} />
      <PhoneField />
      <Start balance={balance} trials={trials} />
      <PackageField />
    </>
  )
}

const EMPTY: NewClientValues = {
  ministra: false,
  login: '',
  password: '',
  desc: '',
  stb_mac: '',
  phone: '',
  months: 0,
  package_selection: PACKAGES[0]?.value ?? 1,
}

/** Returns the credentials of a client that was made: what was sent of it, and when its service ends. */
function credentialsOf(
  { login, password, ministra, stb_mac, phone, package_selection }: InputOf<typeof calls.clients.create>,
  { expiry }: OutputOf<typeof calls.clients.create>,
): Credentials {
  const mac = ministra || !stb_mac ? null : stb_mac.toUpperCase()
  return { login, password, mac, package_selection, expiry, phone: Phone.safeParse(phone).data ?? '' }
}

/** Returns whether an input is of the client that was typed. */
function isOf({ login }: { login?: string }, typed: NewClientValues): boolean {
  // A phone's keyboard adds a space, which is no part of the login.
  return trimmed(typed.login) === login
}

/** The MAC field, which a Ministra client does not have. */
function MacUnlessMinistra({ trials }: { trials: Trials | undefined }) {
  const [ministra, months, typed] = useWatch({ name: ['ministra', 'months', 'stb_mac'] })
  const lastSeen = useMacLastSeen(ministra === true ? '' : typed)
  if (ministra === true) return null
  const hadOne = startCost(months) === 0 && trials?.mac_had === true
  const refused = hadOne ? MAC_HAD_TRIAL : undefined
  return <MacField help={lastSeen} refused={refused} />
}

/**
 * Returns what is known of trials before one is asked for: how many are left, and whether this MAC had one, once that
 * is known of this MAC.
 */
function useTrials(isHeld: boolean): Trials | undefined {
  const [ministra, typed] = useWatch({ name: ['ministra', 'stb_mac'] })
  const mac = ministra === true ? undefined : Mac.safeParse(typed).data
  const { data, isPlaceholderData } = useCall(calls.clients.trials, mac === undefined ? {} : { mac }, {
    keep: true,
  })
  const known = data && isPlaceholderData ? { ...data, mac_had: false } : data
  return useHeld(known, isHeld)
}

/** The choice of trial or months, with its price and the balance. */
function Start({ balance, trials }: Pick<FieldsProps, 'balance'> & { trials: Trials | undefined }) {
  const cost = startCost(useWatch({ name: 'months' }))
  const short = balance != null && cost > balance
  // The form, and all else that shows the balance, gets it too.
  useBalance({ whileShort: short })
  useEndOfError('months', cost > 0 && !short)
  return (
    <SelectInput
      name="months"
      label="Credits"
      options={START_OPTIONS}
      help={cost === 0 && trials ? trialsLeft(trials) : price(cost, balance)}
      fault={short ? shortage(balance, cost) : cost === 0 ? usedUp(trials) : undefined}
      wayOut={short && <AskForMore />}
    />
  )
}

type Trials = OutputOf<typeof calls.clients.trials>

function trialsLeft({ left, a_day }: Trials): string {
  return `Costs nothing; ${number(left)} of today's ${counted(a_day, 'trial')} left`
}

function usedUp(trials: Trials | undefined): string | undefined {
  if (trials?.left !== 0) return undefined
  return `Today's ${counted(trials.a_day, 'trial')} ${trials.a_day === 1 ? 'is' : 'are'} used up`
}

function price(cost: number, balance: number | null | undefined): string {
  const costs = `Costs ${cost === 0 ? 'nothing' : inCredits(cost)}`
  return balance == null ? costs : `${costs}; you have ${inCredits(balance)}`
}
