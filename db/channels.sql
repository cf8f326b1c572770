-- What boxes can watch. The admin gives a playlist; what was read from it is kept here, sealed, because the address of a
-- stream may contain a password as that of the playlist may. `channel` gives each channel its id, which outlives the
-- playlists; `channel_group` says which packages hold a group. Every change raises the revision of `lineup`, by which
-- the gateways learn of it.

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
  -- Sealed; null where a file was given.
  address bytea,
  -- What people see of it: the address without its path, or the name of the file.
  shown text not null,
  given timestamptz not null,
  -- When it was read last, and why it could not be; null where it could.
  tried timestamptz not null,
  failure text,
  -- The channels in use, sealed; null before the first were taken.
  content bytea,
  taken timestamptz,
  channels integer not null default 0,
  -- The entries that have no address which a box could play.
  skipped integer not null default 0,
  -- What was read and not taken, and why; null where everything was taken.
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
    held in ('empty', 'broken', 'shrunk')
    and num_nulls(held_at, held_content, held_channels, held_skipped, held_groups) = 0
    or num_nonnulls(held, held_at, held_content, held_channels, held_skipped, held_groups) = 0
  )
);

create table channel (
  -- Clients of other makers keep it in 32 bits.
  id integer generated always as identity,
  -- Its tvg-id, or its name and group.
  key text not null,
  -- When it was last in a playlist that was read. The clean-up counts from the newest, since a file is read once.
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
  -- Its place in the playlist in use, how many channels it has there, and how many of them anybody could watch who
  -- has their address; 0 channels where it is not in there.
  place integer not null,
  channels integer not null,
  unprotected integer not null,
  constraint channel_group_pkey primary key (id),
  constraint channel_group_name_key unique (name)
);

-- The channels that somebody marked on a box.
create table favourite (
  client bigint,
  channels integer[] not null,
  constraint favourite_pkey primary key (client),
  constraint favourite_client_fk foreign key (client) references client (id)
);

-- The newest stream tokens of a client that were used in time, by their signatures. A crash may empty it: who watches
-- then must zap once.
create unlogged table stream_use (
  client bigint,
  tokens text[] not null,
  constraint stream_use_pkey primary key (client),
  constraint stream_use_client_fk foreign key (client) references client (id)
);
