-- The clients of the dealers. A deleted client stays as a row without its password, so that its history keeps its
-- place; its login and MAC are free again.

create extension if not exists pg_trgm;

create table client (
  id bigint generated always as identity primary key,
  dealer bigint not null,
  dealer_role text not null default 'dealer' check (dealer_role = 'dealer'),
  name text not null check (name ~ '^[A-Za-z0-9._-]{5,15}$'),
  -- AES-256-GCM under SECRET_KEY: the dealer must be able to read it.
  password bytea,
  mac text check (mac ~ '^00:1A:79(:[0-9A-F]{2}){3}$'),
  ministra boolean not null,
  alt_player boolean not null default false,
  expiry timestamptz not null,
  -- The dealer's switch; 'status' on the wire.
  active boolean not null default true,
  phone text not null check (phone ~ '^[0-9]{0,15}$'),
  description text not null check (length(description) <= 100),
  package_selection integer not null,
  locked boolean not null default false,
  created timestamptz not null,
  deleted timestamptz,
  foreign key (dealer, dealer_role) references account (id, role),
  check (deleted is not null or (password is not null and ministra = (mac is null)))
);

create unique index client_name on client (lower(name)) where deleted is null;
create unique index client_mac on client (mac) where deleted is null;
create index client_of_dealer on client (dealer, lower(name)) where deleted is null;
create index client_expiry on client (dealer, expiry) where deleted is null;
-- What a search looks through, one line a field, so that no term matches across two.
create function search_text(name text, description text, mac text, phone text) returns text
  language sql immutable parallel safe
  return lower(name || chr(10) || description || chr(10) || coalesce(mac || chr(10) || replace(mac, ':', ''), '') || chr(10) || phone);

create index client_search on client using gin (search_text(name, description, mac, phone) gin_trgm_ops)
  where deleted is null;

-- What a client's box told of itself, apart from the client because it changes with every poll.
create table device (
  client bigint primary key references client (id),
  stb_sn text,
  stb_type text,
  version text,
  watching text,
  locked_to_ip text,
  last_active timestamptz,
  time_last_play_tv timestamptz,
  time_last_play_video timestamptz,
  last_played_tv_content text,
  last_played_vod_content text
);
