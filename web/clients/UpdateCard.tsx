import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useEffect, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { Card } from '../parts/Card.tsx'
import { Form } from '../parts/form/Form.tsx'
import { PasswordInput } from '../parts/form/PasswordInput.tsx'
import { SwitchInput } from '../parts/form/SwitchInput.tsx'
import { useSubmit } from '../queries.ts'
import { to } from '../screens.ts'
import { Expiry } from '../tables/expiry.tsx'
import { AddMonths } from './AddMonths.tsx'
import { type ClientValues, changesOf, EMPTY, typedOver, valuesOf } from './clientForm.ts'
import { DescriptionField, MacField, PackageField, PhoneField } from './fields.tsx'

interface UpdateCardProps {
  /** Undefined while it loads. */
  client: ClientDetail | undefined
  expired: boolean
  /** Loads the client anew, and answers it. */
  reload: () => Promise<ClientDetail | undefined>
}

/** What the form was filled from, and what stood in it then. */
interface Base {
  seen?: ClientDetail
  values: ClientValues
}

/** All that can be changed of a client; only what was changed is sent. Of an expired one only months can be added. */
export function UpdateCard({ client, expired, reload }: UpdateCardProps) {
  const [base, setBase] = useState<Base>({ values: EMPTY })
  const [payable, setPayable] = useState(true)
  const save = useSubmit(calls.clients.save, { goTo: { path: to.clients(), after: 2_000 } })
  const submit = (typed: ClientValues) => {
    if (base.seen) save.submit(changesOf(base.seen, typed))
  }
  return (
    <Card title="Client" aside={client && <Expiry iso={client.expiry} />}>
      <Form
        schema={asTyped}
        values={base.values}
        submit="Update Client"
        onSubmit={submit}
        loading={save.loading}
        disabled={!base.seen}
        blocked={!payable}
        submitError={save.submitError}
        aside={
          save.outdated && (
            <Reload
              seen={base.seen}
              reload={reload}
              onBase={(next) => {
                save.reset()
                setBase(next)
              }}
            />
          )
        }
      >
        <Follow client={client} base={base} onBase={setBase} />
        <Switches>
          <SwitchInput name="status" label="Active" disabled={expired} />
          <SwitchInput name="locked" label="IP Lock" disabled={expired} />
          <SwitchInput name="ministra" label="Ministra" disabled={expired} />
          <SwitchInput name="alt_player" label="Alt Player" disabled={expired} />
        </Switches>
        <PasswordInput name="password" label="Password" autoComplete="off" disabled={expired} />
        <DescriptionField disabled={expired} />
        <PhoneField disabled={expired} />
        <MacUnlessMinistra disabled={expired} />
        <AddMonths client={client} expired={expired} sent={save.loading} onPayable={setPayable} />
        <PackageField disabled={expired} />
      </Form>
    </Card>
  )
}

/** The spec sets no limits here; the server has its own, and says at which field they were passed. */
const asTyped = z.custom<ClientValues>()

/** Fills the form once the client has come, and again when it changed elsewhere, unless something was typed. */
function Follow({
  client,
  base,
  onBase,
}: Pick<UpdateCardProps, 'client'> & { base: Base; onBase: (base: Base) => void }) {
  const { getValues } = useFormContext<ClientValues>()
  useEffect(() => {
    if (!client || client === base.seen) return
    const touched = base.seen && Object.keys(typedOver(base.seen, getValues())).length > 0
    const differs = !base.seen || Object.keys(typedOver(client, valuesOf(base.seen))).length > 0
    if (!touched && differs) onBase({ seen: client, values: valuesOf(client) })
  }, [client, base, onBase, getValues])
  return null
}

interface ReloadProps {
  seen: ClientDetail | undefined
  reload: UpdateCardProps['reload']
  onBase: (base: Base) => void
}

/** Takes over what somebody else changed, and keeps what was typed. */
function Reload({ seen, reload, onBase }: ReloadProps) {
  const { getValues } = useFormContext<ClientValues>()
  const load = async () => {
    const fresh = await reload()
    if (!fresh || !seen) return
    onBase({ seen: fresh, values: { ...valuesOf(fresh), ...typedOver(seen, getValues()) } })
  }
  return (
    <Button variant="outlined" onClick={load}>
      Reload
    </Button>
  )
}

function MacUnlessMinistra({ disabled }: { disabled: boolean }) {
  return useWatch({ name: 'ministra' }) === true ? null : <MacField disabled={disabled} />
}

const Switches = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(120px, 1fr))',
  marginBottom: 8,
})
