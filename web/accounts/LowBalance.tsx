import { useMemo } from 'react'
import * as z from 'zod/mini'
import { LOW_BELOW, LowBelow } from '../../contract/requests.ts'
import { Card } from '../parts/Card.tsx'
import { Form, type Sending } from '../parts/form/Form.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { number } from '../parts/number.ts'
import { CreditsInput } from './CreditsInput.tsx'
import { numberIn, typedNumber } from './typedNumber.ts'

interface LowBalanceProps {
  /** The present threshold; null for none, undefined while it loads and where it could not be loaded. */
  below: number | null | undefined
  loaded: { error: { message: string } | null; refetch: () => void }
  /** What the threshold does, in a sentence. */
  help: string
  saving: Sending & { done: number }
  onSave: (below: number | null) => void
}

/** Sets the balance below which an account is marked as low. */
export function LowBalance({ below, loaded, help, saving, onSave }: LowBalanceProps) {
  const { error, refetch } = loaded
  const values = useMemo(() => ({ below: below == null ? '' : String(below) }), [below])
  return (
    <Card title="Low Balance">
      <Loaded of={{ data: below, error, refetch }}>
        <Form
          // Another form once the threshold is known, because its button then has another width.
          key={String(below === undefined)}
          schema={Threshold}
          values={values}
          resetKey={saving.done}
          label={({ below: typed }) => {
            const credits = numberIn(typed)
            if (typed.trim() !== '')
              return LowBelow.safeParse(credits).success ? `Mark below ${number(credits)}` : 'Mark as low'
            if (below === undefined) return 'Mark as low'
            return below === null ? 'No threshold' : 'Remove the threshold'
          }}
          blocked={({ below: typed }) => typed.trim() === '' && below == null}
          onSubmit={({ below: typed }) => onSave(typed.trim() === '' ? null : numberIn(typed))}
          disabled={below === undefined}
          sending={saving}
        >
          <CreditsInput name="below" label="Mark as low below" help={help} />
        </Form>
      </Loaded>
    </Card>
  )
}

const Threshold = z.object({
  below: typedNumber({ number: LowBelow, orEmpty: true, otherwise: `${LOW_BELOW}, or empty` }),
})
