import { calls } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import { useSubmit } from '../queries.ts'
import { PasswordCard } from './PasswordCard.tsx'

/** Changes a child's password, which ends its sessions. */
export function ChangePassword({ level, name }: { level: LevelName; name: string }) {
  const change = useSubmit(calls.level[level].changePassword, { changes: [] })
  return <PasswordCard change={change} onSubmit={(password) => change.submit({ name, password })} />
}
