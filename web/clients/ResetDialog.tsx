import { calls } from '../../contract/calls.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { Question } from '../Question.tsx'

interface ResetDialogProps {
  title: string
  yes: string
  /** The client; null while the dialog is closed. */
  client: Pick<ClientDetail, 'name' | 'ministra'> | null
  onClose: () => void
}

/** Asks before a client's box, and the IP that the client is locked to, are forgotten. */
export function ResetDialog({ title, yes, client, onClose }: ResetDialogProps) {
  return (
    <Question
      about={client}
      title={title}
      yes={yes}
      call={calls.clients.reset}
      input={({ name }) => ({ name })}
      onClose={onClose}
    >
      {({ name, ministra }) => (
        <p>
          The serial number, type, version and activity of the box of {name} are forgotten, and so is the IP
          that it is locked to.{' '}
          {ministra
            ? 'The box is signed out, and asks for login and password when it next connects.'
            : 'The box sends these again when it next connects.'}
        </p>
      )}
    </Question>
  )
}
