import { calls } from '../../contract/calls.ts'
import { counted } from '../../contract/quantities.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { Question } from '../Question.tsx'

/** A client with the box that asks with nearly its MAC, as they were when the question was asked. */
export type Nearly = Pick<ClientDetail, 'name' | 'o_mac'> &
  Pick<NonNullable<ClientDetail['near_box']>, 'mac' | 'digits'>

interface TakeMacProps {
  /** Null while the dialog is closed. */
  about: Nearly | null
  onClose: () => void
}

/** Asks before a client gets the MAC of a box instead of its own, which was probably mistyped. */
export function TakeMac({ about, onClose }: TakeMacProps) {
  return (
    <Question
      about={about}
      title="Take the MAC of this box?"
      yes="Take the MAC"
      call={calls.clients.save}
      input={({ name, mac, o_mac }) => ({ login: name, stb_mac: mac, o_mac: o_mac ?? '' })}
      onClose={onClose}
    >
      {({ name, o_mac, mac, digits }) => (
        <>
          <p>
            No box has asked with the MAC address <span className="identifier">{o_mac}</span> of {name}. An
            unknown box differs in {counted(digits, 'digit')}: <b className="identifier">{mac}</b>.
          </p>
          <p>Compare it with the sticker on the box of {name}: it may be the box of somebody else.</p>
        </>
      )}
    </Question>
  )
}
