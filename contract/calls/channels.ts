import * as z from 'zod/mini'
import { call, Done, Nothing } from '../call.ts'
import {
  CompressedFile,
  FileName,
  Group,
  GroupId,
  Players,
  Playlist,
  PlaylistAddress,
  PlaylistRead,
} from '../channels.ts'
import { PackageSelection } from '../clients.ts'
import { PACKAGES } from '../packages.ts'
import { MOST_GROUPS } from '../playlist-limits.ts'
import { secret } from '../secret.ts'
import { Moment } from '../shapes.ts'

const roles = ['admin'] as const

/**
 * True takes the playlist also where it would be held back. Without it, the call is refused if what is given would be
 * held back and the address of the one in use would be lost.
 */
const anyway = z.optional(z.boolean())

/** Each of these packages with each of these groups. */
const Pairs = z.strictObject({
  packages: z.array(PackageSelection).check(z.maxLength(PACKAGES.length)),
  groups: z.array(GroupId).check(z.maxLength(MOST_GROUPS)),
})

export const channels = {
  all: call({
    method: 'GET',
    path: '/admin/channels',
    roles,
    summary: 'The playlist, its groups with the packages that hold them, and the players',
    input: Nothing,
    output: z.object({ playlist: z.nullable(Playlist), groups: z.array(Group), players: Players }),
  }),
  giveAddress: call({
    method: 'POST',
    path: '/admin/playlist/address',
    roles,
    summary: 'Reads the playlist at an address, and again every PLAYLIST_MINUTES',
    // Its address may contain a password.
    input: z.strictObject({ address: secret(PlaylistAddress), anyway }),
    output: PlaylistRead,
    slow: true,
    sets: 'playlist',
  }),
  giveFile: call({
    method: 'POST',
    path: '/admin/playlist/file',
    roles,
    summary: 'Takes the playlist of a file',
    input: z.strictObject({
      name: FileName,
      file: secret(CompressedFile),
      anyway,
    }),
    output: PlaylistRead,
    body: 'file',
    sets: 'playlist',
  }),
  fetch: call({
    method: 'POST',
    path: '/admin/playlist/fetch',
    roles,
    summary: 'Reads the playlist at its address now',
    input: Nothing,
    output: PlaylistRead,
    slow: true,
    sets: 'playlist',
  }),
  takeHeld: call({
    method: 'POST',
    path: '/admin/playlist/take',
    roles,
    summary: 'Takes the playlist that was held back',
    /** When the playlist was read that the person saw. */
    input: z.strictObject({ at: Moment }),
    output: Done,
    sets: 'playlist',
  }),
  saveGroup: call({
    method: 'POST',
    path: '/admin/channels/group',
    roles,
    summary: "Says whether a group is for adults, so that packages with 'No Adults' leave it out",
    input: z.strictObject({ group: GroupId, adult: z.boolean() }),
    output: Done,
    sets: '{field}',
  }),
  assign: call({
    method: 'POST',
    path: '/admin/channels/assign',
    roles,
    summary: 'Gives groups to packages, and takes groups from packages; all others stay as they are',
    input: z.strictObject({ give: Pairs, take: Pairs }),
    output: Done,
    body: 'long',
    sets: '{field}',
  }),
  savePlayers: call({
    method: 'POST',
    path: '/admin/channels/players',
    roles,
    summary:
      "Changes the words that are sent: each stands before a channel's address, and tells a box which player to use",
    input: z
      .partial(Players)
      .check(
        z.refine(
          ({ player, alt_player }) => player !== undefined || alt_player !== undefined,
          'There must be a player or an Alt Player',
        ),
      ),
    output: Done,
    sets: '{field}',
  }),
}
