import { calls } from '../../contract/calls.ts'
import { useSubmit } from '../queries.ts'
import { PasswordCard } from './PasswordCard.tsx'

/** Lets the admin set the password of any account, which ends its sessions. */
export function SetPassword({ name }: { name: string }) {
  const change = useSubmit(calls.tree.password, { changes: [] })
  return <PasswordCard change={change} onSubmit={(password) => change.submit({ name, password })} />
}
