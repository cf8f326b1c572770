import { type ComponentProps, useState } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { CompressedFile, MOST_COMPRESSED, PlaylistAddress } from '../../contract/channels.ts'
import { LONGEST_NAME, MOST_PLAYLIST } from '../../contract/playlist-limits.ts'
import { bytes, counted } from '../../contract/quantities.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { ChoiceInput } from '../parts/form/ChoiceInput.tsx'
import { FileInput } from '../parts/form/FileInput.tsx'
import type { SubmitError } from '../parts/form/Form.tsx'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { CheckboxInput } from '../parts/form/SwitchInput.tsx'
import { TextInput } from '../parts/form/TextInput.tsx'
import { UnderWay } from '../parts/Progress.tsx'
import { Awaited } from '../parts/Stack.tsx'
import { packed } from './packed.ts'

interface GivePlaylistProps {
  open: boolean
  /** The playlist in use, which the new one replaces; null where there is none, undefined while it is not known. */
  inUse: { channels: number; hasAddress: boolean } | null | undefined
  onClose: () => void
}

/**
 * Asks for the address of a playlist, or for its file. Where it was refused because it may be a mistake, it can be
 * taken all the same.
 */
export function GivePlaylist({ open, inUse, onClose }: GivePlaylistProps) {
  const [sent, setSent] = useState<Source | null>(null)
  const [doubted, setDoubted] = useState<Source | null>(null)
  const close = () => {
    setDoubted(null)
    onClose()
  }
  const byAddress = useSubmit(calls.channels.giveAddress, { onDone: close })
  const asFile = useSubmit(calls.channels.giveFile, { onDone: close })
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
  const stop = () => {
    byAddress.stop()
    asFile.stop()
  }
  if (sending.submitError?.fields?.anyway && doubted !== sent) setDoubted(sent)
  const give: ComponentProps<typeof FormDialog<Values, Values>>['onSubmit'] = async (
    { anyway: isTicked, ...source },
    { setValue },
  ) => {
    const { kind, address, file } = source
    // What was ticked of one playlist is not said of another.
    const anyway = isTicked && isSame(source, doubted)
    setValue('anyway', anyway)
    // Of two refusals, that of the address would stand before that of the file.
    sending.reset()
    setSent(source)
    if (kind === 'address') return byAddress.submit({ address, anyway })
    if (!file) return
    setPacking(true)
    try {
      const compressed = await packed(file)
      // Said before the upload, which may take minutes.
      const fault = faultIn(CompressedFile.safeParse(compressed))
      if (fault !== undefined) setUnread(atFile(fault))
      else asFile.submit({ name: file.name.slice(0, LONGEST_NAME), file: compressed, anyway })
    } catch {
      // A browser reads no file that was changed or removed since it was chosen.
      setUnread(atFile('This file cannot be read any more. Please choose it again'))
    } finally {
      setPacking(false)
    }
  }
  return (
    <FormDialog
      open={open}
      title="Give a playlist"
      onClose={close}
      schema={Given}
      values={NONE}
      autoFocus="address"
      label={sending.loading ? 'Reading it' : 'Read it'}
      onSubmit={give}
      sending={sending}
      {...(!packing && { onStop: stop })}
    >
      {inUse === undefined && <Awaited height={40} />}
      {inUse && (
        <p>
          All boxes get it instead of the playlist in use, which has {counted(inUse.channels, 'channel')}.{' '}
          {inUse.hasAddress ? 'The address of that one is lost.' : 'That one is lost.'}
        </p>
      )}
      <ChoiceInput name="kind" label="Playlist from" options={KINDS} />
      <SourceInput />
      <Anyway doubted={doubted} />
      <UnderWay loading={sending.loading} what="Reading the playlist" />
    </FormDialog>
  )
}

function atFile(fault: string): SubmitError {
  return { message: '', fields: { file: fault } }
}

function SourceInput() {
  return useWatch({ name: 'kind' }) === 'file' ? (
    <FileInput name="file" label="File" help={FILE_HELP} accept=".m3u,.m3u8,.txt,.gz,audio/x-mpegurl" />
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

const FILE_HELP = `An M3U of at most ${bytes(MOST_PLAYLIST)}, and ${bytes(MOST_COMPRESSED)} once the browser has compressed it`

/** Shown beside the playlist that was refused, until another one is typed or chosen. */
function Anyway({ doubted }: { doubted: Source | null }) {
  const [kind, address, file] = useWatch({ name: ['kind', 'address', 'file'] })
  return (
    isSame({ kind, address, file }, doubted) && <CheckboxInput name="anyway" label="Take it all the same" />
  )
}

function isSame({ kind, address, file }: Source, other: Source | null): boolean {
  return kind === other?.kind && (kind === 'address' ? address === other.address : file === other.file)
}

const KINDS = [
  { value: 'address', label: 'An address' },
  { value: 'file', label: 'A file' },
]

const NONE: Values = { kind: 'address', address: '', file: null, anyway: false }

type Values = z.output<typeof Given>
type Source = Omit<Values, 'anyway'>

const Given = z
  .object({
    kind: z.enum(['address', 'file']),
    address: z.string(),
    file: z.custom<File | null>(),
    anyway: z.boolean(),
  })
  .check(
    z.superRefine(({ kind, address, file }, context) => {
      const fault = kind === 'address' ? faultIn(PlaylistAddress.safeParse(address)) : faultOfFile(file)
      if (fault) context.addIssue({ code: 'custom', path: [kind], message: fault })
    }),
  )

function faultIn({ error }: z.core.util.SafeParseResult<string>): string | undefined {
  return error?.issues[0]?.message
}

function faultOfFile(file: File | null): string | undefined {
  if (!file) return 'Please choose a file'
  return file.size > MOST_PLAYLIST ? `The file is larger than ${bytes(MOST_PLAYLIST)}` : undefined
}
