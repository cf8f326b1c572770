-- What boxes can watch. Every change of what they see raises the revision of `lineup`, by which the gateways learn of it.
--
-- - lineup: the revision, and the words that select a box's player
-- - playlist: the playlist that the admin gave. It is stored encrypted, because its address and those of its channels
--   may contain passwords.
-- - channel: the id of each channel, which outlives the playlists; of those that were seen last 300,000 are kept
-- - channel_group: the groups of the playlists, and the packages that each belongs to
-- - favourite: the channels that were marked on a client's box
-- - stream_use: the stream tokens of each client that are in use

create table lineup (
  only_one boolean not null default true,
  revision bigint not null default 1,
  -- The words before the address of a channel, by which a box chooses its player.
  player text not null default 'ffmpeg',
  alt_player text not null default 'ffrt',
  constraint lineup_pkey primary key (only_one),
  constraint lineup_one_check check (only_one)
);

create table playlist (
  only_one boolean not null default true,
  -- Encrypted; null where a file was given.
  address bytea,
  -- What people see of it: the address without its path, or the name of the file.
  shown text not null,
  given timestamptz not null,
  -- When it was read last, and why that failed; null where it did not.
  tried timestamptz not null,
  failure text,
  -- The channels in use, encrypted; null before the first were taken.
  content bytea,
  taken timestamptz,
  channels integer not null default 0,
  -- How many entries have no address that a box could play.
  skipped integer not null default 0,
  -- What was read last and is held back, and why; null where nothing is.
  held text,
  held_at timestamptz,
  held_content bytea,
  held_channels integer,
  held_skipped integer,
  held_groups jsonb,
  constraint playlist_pkey primary key (only_one),
  constraint playlist_one_check check (only_one),
  constraint playlist_taken_check check ((content is null) = (taken is null)),
  constraint playlist_held_check check (
    (held in ('empty', 'broken', 'shrunk')) is true
    and num_nulls(held_at, held_content, held_channels, held_skipped, held_groups) = 0
    or num_nonnulls(held, held_at, held_content, held_channels, held_skipped, held_groups) = 0
  )
);

create table channel (
  -- Clients of other makers keep it in 32 bits.
  id integer generated always as identity,
  -- Its tvg-id, its name and group, or both (`server/nouns/channels/keys.ts`).
  key text not null,
  -- When it was last in a playlist that was taken; one that is held back counts as the last that was taken. The clean-up
  -- counts from the newest of these moments and not from now, because a file is read only once.
  seen timestamptz not null,
  constraint channel_pkey primary key (id),
  constraint channel_key_key unique (key)
);

create table channel_group (
  -- Also the id of a genre.
  id integer generated always as identity,
  name text not null,
  adult boolean not null,
  packages integer[] not null,
  -- Its place in the playlist in use, how many channels it has there, and how many of those have no {token} in their
  -- address. A group that is not in that playlist has 0 channels.
  place integer not null,
  channels integer not null,
  unprotected integer not null,
  constraint channel_group_pkey primary key (id),
  constraint channel_group_name_key unique (name)
);

create table favourite (
  client bigint,
  channels integer[] not null,
  constraint favourite_pkey primary key (client),
  constraint favourite_client_fk foreign key (client) references client (id)
);

-- The signatures of a client's newest stream tokens that were used in time. A crash may empty it: viewers must then
-- choose their channel again.
create unlogged table stream_use (
  client bigint,
  tokens text[] not null,
  constraint stream_use_pkey primary key (client),
  constraint stream_use_client_fk foreign key (client) references client (id)
);
