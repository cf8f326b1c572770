import { calls } from '../../contract/calls.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { counted } from '../../contract/words.ts'
import { Question } from '../Question.tsx'

interface TakeMacProps {
  client: Pick<ClientDetail, 'name' | 'o_mac'>
  /** The box that asks with nearly the client's MAC; null while the dialog is closed. */
  box: ClientDetail['near_box']
  onClose: () => void
}

/** Asks before a client gets the MAC of a box instead of its own, which was probably mistyped. */
export function TakeMac({ client: { name, o_mac }, box, onClose }: TakeMacProps) {
  return (
    <Question
      about={box}
      title="Take the MAC of this box?"
      yes="Take the MAC"
      no="Cancel"
      call={calls.clients.save}
      input={({ mac }) => ({ login: name, stb_mac: mac, o_mac: o_mac ?? '' })}
      onClose={onClose}
    >
      {({ mac, digits }) => (
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
