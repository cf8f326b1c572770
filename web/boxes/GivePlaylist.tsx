import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { MOST_PLAYLIST, PlaylistAddress } from '../../contract/channels.ts'
import { ChoiceInput } from '../parts/form/ChoiceInput.tsx'
import { FileInput } from '../parts/form/FileInput.tsx'
import type { SubmitError } from '../parts/form/Form.tsx'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { useSubmit } from '../queries.ts'
import { packed } from './packed.ts'

/** Asks for the address of a playlist, or for its file. */
export function GivePlaylist({ open, onClose }: { open: boolean; onClose: () => void }) {
  const byAddress = useSubmit(calls.channels.giveAddress, { onDone: onClose })
  const asFile = useSubmit(calls.channels.giveFile, { onDone: onClose })
  const [packing, setPacking] = useState(false)
  const [unread, setUnread] = useState<SubmitError | null>(null)
  const sending = {
    loading: byAddress.loading || asFile.loading || packing,
    submitError: byAddress.submitError ?? asFile.submitError ?? unread,
    reset() {
      byAddress.reset()
      asFile.reset()
      setUnread(null)
    },
  }
  const give = async ({ kind, address, file }: z.output<typeof Given>) => {
    if (kind === 'address') return byAddress.submit({ address })
    if (!file) return
    setPacking(true)
    setUnread(null)
    try {
      asFile.submit({ name: file.name.slice(0, 200), file: await packed(file) })
    } catch {
      // A browser reads no file that was changed or removed since it was chosen.
      setUnread({
        message: '',
        fields: { file: 'This file cannot be read any more. Please choose it again' },
      })
    } finally {
      setPacking(false)
    }
  }
  return (
    <FormDialog
      open={open}
      title="Give a playlist"
      onClose={onClose}
      schema={Given}
      values={NONE}
      autoFocus="address"
      submit={sending.loading ? 'Reading it' : 'Read it'}
      onSubmit={give}
      sending={sending}
    >
      <ChoiceInput name="kind" label="It is" options={KINDS} />
      <Source />
    </FormDialog>
  )
}

function Source() {
  return useWatch({ name: 'kind' }) === 'file' ? (
    <FileInput
      name="file"
      label="File"
      help="An M3U of at most 64 MB"
      accept=".m3u,.m3u8,.txt,audio/x-mpegurl"
    />
  ) : (
    <TextInput
      name="address"
      label="Address"
      help="Kept encrypted, and read again by itself"
      identifier
      inputMode="url"
    />
  )
}

const KINDS = [
  { value: 'address', label: 'An address' },
  { value: 'file', label: 'A file' },
]

const NONE: z.input<typeof Given> = { kind: 'address', address: '', file: null }

const Given = z
  .object({ kind: z.enum(['address', 'file']), address: z.string(), file: z.custom<File | null>() })
  .check(
    z.superRefine(({ kind, address, file }, context) => {
      const fault = kind === 'address' ? faultOf(address) : faultOfFile(file)
      if (fault) context.addIssue({ code: 'custom', path: [kind], message: fault })
    }),
  )

function faultOf(address: string): string | undefined {
  return PlaylistAddress.safeParse(address).error?.issues[0]?.message
}

function faultOfFile(file: File | null): string | undefined {
  if (!file) return 'Please choose a file'
  return file.size > MOST_PLAYLIST ? 'The file is larger than 64 MB' : undefined
}
