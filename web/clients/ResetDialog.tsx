import { calls } from '../../contract/calls.ts'
import { Question } from '../Question.tsx'

interface ResetDialogProps {
  title: string
  yes: string
  /** The client; null while the dialog is closed. */
  name: string | null
  onClose: () => void
}

/** Asks before a client's box, and the IP that the client is locked to, are forgotten. */
export function ResetDialog({ title, yes, name, onClose }: ResetDialogProps) {
  return (
    <Question
      about={name}
      title={title}
      yes={yes}
      no="Cancel"
      call={calls.clients.reset}
      input={(name) => ({ name })}
      onClose={onClose}
    >
      {(name) => (
        <p>
          The serial number, type, version and activity of the box of {name} are forgotten, and so is the IP
          that it is locked to. It tells of itself again when it next connects.
        </p>
      )}
    </Question>
  )
}
