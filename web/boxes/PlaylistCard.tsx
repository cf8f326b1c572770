import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { faultInPlaylist, type Playlist } from '../../contract/channels.ts'
import { MOST_CHANNELS } from '../../contract/playlist-limits.ts'
import { counted } from '../../contract/quantities.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { At } from '../moments.tsx'
import { Card, CardButtons } from '../parts/Card.tsx'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { Fact, FactList } from '../parts/FactList.tsx'
import { number } from '../parts/number.ts'
import { PassingButton } from '../parts/PassingButton.tsx'
import { Working } from '../parts/Spinner.tsx'
import { Awaited } from '../parts/Stack.tsx'
import { Question } from '../Question.tsx'

interface PlaylistCardProps {
  /** Null where none was given, undefined while it loads and where it could not be loaded. */
  playlist: Playlist | null | undefined
  loading: boolean
  /** How many channels in use anybody can watch who has their address. */
  unprotected: number
}

/** Where the channels come from, how the last reading went, and what is to be decided. */
export function PlaylistCard({ playlist, loading, unprotected }: PlaylistCardProps) {
  const [giving, setGiving] = useState(false)
  const [taking, setTaking] = useState<NonNullable<Playlist['held']> | null>(null)
  const again = useSubmit(calls.channels.fetch)
  const isOld = useIsOld(calls.channels.all)
  return (
    <Card title="Playlist">
      <About aria-live="polite">
        {playlist === null && <p>There is no playlist yet. Boxes are let in, and find no channels.</p>}
        {playlist && <State playlist={playlist} unprotected={unprotected} />}
        {loading && <Awaited height={40} />}
      </About>
      <CardButtons style={loading ? { visibility: 'hidden' } : undefined}>
        {playlist?.held && (
          <PassingButton variant="outlined" onClick={() => setTaking(playlist.held)}>
            Take it all the same
          </PassingButton>
        )}
        {playlist?.kind === 'address' && (
          <Button variant="outlined" disabled={again.loading} onClick={() => again.submit({})}>
            <Working loading={again.loading}>Read it now</Working>
          </Button>
        )}
        <Button variant="contained" disabled={playlist === undefined} onClick={() => setGiving(true)}>
          Give a playlist
        </Button>
      </CardButtons>
      <Later
        part={dialog}
        given={{
          open: giving,
          inUse: isOld ? undefined : inUseOf(playlist),
          onClose: () => setGiving(false),
        }}
      />
      <Question
        about={taking}
        title="Take it all the same?"
        yes="Take it"
        call={calls.channels.takeHeld}
        input={({ at }) => ({ at })}
        onClose={() => setTaking(null)}
      >
        {({ channels }) => (
          <p>
            All boxes get the playlist with {counted(channels, 'channel')} instead of the one with{' '}
            {counted(playlist?.channels ?? 0, 'channel')}. The present one is lost.
          </p>
        )}
      </Question>
    </Card>
  )
}

const dialog = chunk(async () => (await import('./GivePlaylist.tsx')).GivePlaylist)

/** What a new playlist replaces. */
function inUseOf(playlist: Playlist | null | undefined) {
  if (!playlist?.taken) return null
  return { channels: playlist.channels, hasAddress: playlist.kind === 'address' && !isOther(playlist) }
}

/**
 * Whether the channels in use are of an earlier playlist: the one that was given last was held back, and none of it was
 * taken. The name of the earlier one is not known any more.
 */
function isOther({ held, taken, given }: Playlist): boolean {
  return held !== null && taken !== null && taken < given
}

function State({ playlist, unprotected }: { playlist: Playlist; unprotected: number }) {
  const { kind, shown, taken, tried, next, channels, skipped, failure, held } = playlist
  const other = isOther(playlist)
  return (
    <>
      <FactList>
        {!other && <Fact label={kind === 'address' ? 'Address' : 'File'}>{shown}</Fact>}
        <Fact label="Channels">{number(channels)}</Fact>
        <Fact label="Taken">{taken ? <At iso={taken} /> : 'Never'}</Fact>
        {kind === 'address' && (
          <Fact label="Read last">
            <At iso={tried} />
          </Fact>
        )}
        {next && (
          <Fact label="Read next">
            <At iso={next} />
          </Fact>
        )}
      </FactList>
      {failure && <p data-tone="bad">It could not be read: {failure} The channels stay as they are.</p>}
      {held && (
        <p data-tone="bad">
          {other ? shown : 'What was read last'} is held back: it {faultInPlaylist(held, channels)}
        </p>
      )}
      {skipped > 0 && (
        <p>
          {counted(skipped, 'broken channel')} {skipped === 1 ? 'is' : 'are'} left out.
        </p>
      )}
      {channels >= MOST_CHANNELS && (
        <p>The first {number(MOST_CHANNELS)} channels are read. Any after them are left out.</p>
      )}
      {unprotected > 0 && (
        <p data-tone="warn">
          {counted(unprotected, 'channel')} {unprotected === 1 ? 'is' : 'are'} not protected: without{' '}
          {'{token}'} in the address, anybody who has it can watch.
        </p>
      )}
    </>
  )
}

const About = styled('div')(({ theme }) => ({
  display: 'grid',
  gap: 8,
  minHeight: 44,
  overflowWrap: 'anywhere',
  '& [data-tone=bad]': { color: theme.palette.tones.bad.text },
  '& [data-tone=warn]': { color: theme.palette.tones.warn.text },
}))
