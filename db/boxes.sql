-- What the gateway keeps of boxes.
--
-- - device: what a client's box has told of itself, and what it is held to
-- - presence: when a box polled last and what it plays. It changes with every poll, and a crash may empty it.
-- - device_history: when a client's box changed, and who reset it
-- - box_login: the logins that boxes have tried, by which guessing is limited
-- - unknown_box: the boxes that asked with a MAC that no client has
-- - box_count: how many boxes were known and online, over a week
-- - box_model: of what types and versions they were when they were counted last
-- - box_event: the messages and commands that boxes get at their polls
-- - dealer_out_of_service (a view): the dealers whose clients are not served because an account is suspended
-- - box_change: a log of changed clients. Every gateway decides from memory, and reads here whose data is out of date.

create table device (
  client bigint,
  stb_sn text,
  stb_type text,
  version text,
  image text,
  hardware text,
  device_id text,
  device_id2 text,
  first_seen timestamptz,
  -- The MAC of the box that signed in by login and password; null for a client that has a MAC itself.
  mac text,
  -- The part of the signed-in box's token that differs from sign-in to sign-in. The rest is a signature.
  token_nonce text,
  -- Whether too many boxes took over in a day: no other box may until a reset.
  takeovers_refused boolean not null default false,
  locked_to_ip text,
  -- Whether the signed-in box was told to stop playing, and not yet that it may play again.
  cut boolean not null default false,
  time_last_play_tv timestamptz,
  time_last_play_video timestamptz,
  last_played_tv_content text,
  last_played_vod_content text,
  constraint device_pkey primary key (client),
  constraint device_mac_key unique (mac),
  constraint device_client_fk foreign key (client) references client (id)
);

create unlogged table presence (
  client bigint,
  polled timestamptz,
  address text,
  -- Of the box that was let in last: what another one played is not what this one plays.
  token_nonce text,
  -- What it plays, empty where it has stopped, and when it said so.
  watching text,
  watched timestamptz,
  -- Why the box was refused when it asked last, and when that was; null where it was let in.
  refusal text,
  answered timestamptz not null,
  constraint presence_pkey primary key (client),
  constraint presence_client_fk foreign key (client) references client (id)
);

create table device_history (
  id bigint generated always as identity,
  client bigint not null,
  at timestamptz not null,
  event text not null,
  -- The new serial number, address or MAC; empty where the box has left for another client.
  detail text not null default '',
  -- The MAC that a new one replaced, or of the box that has left.
  mac_before text,
  -- The address that it asked from; null where a proxy hid it.
  address text,
  -- The account that did it; null where the box itself changed.
  actor bigint,
  constraint device_history_pkey primary key (id),
  constraint device_history_event_check check (
    event in ('first seen', 'serial number', 'address', 'taken over', 'reset', 'new MAC')
  ),
  constraint device_history_client_fk foreign key (client) references client (id),
  constraint device_history_actor_fk foreign key (actor) references account (id)
);

create index device_history_client on device_history (client, id);
create index device_history_at on device_history (at);
-- Finds whether a box has moved within the last hour, which is asked at the polls of boxes that move.
create index device_history_moved on device_history (client, at) where event = 'address';
-- Finds all other events, which sign-ins ask for, without reading the addresses: many a box has a new one each day.
create index device_history_rare on device_history (client, id) where event <> 'address';

-- The logins that boxes tried whose MAC no client has: those of Ministra clients, and unknown ones.
create table box_login (
  id bigint generated always as identity,
  mac text not null,
  tried timestamptz not null,
  -- null while it is being checked
  succeeded boolean,
  -- Why the box may not play although its login was right, which it hears where it asks next with this token.
  token_nonce text,
  refusal text,
  constraint box_login_pkey primary key (id)
);

create index box_login_mac on box_login (mac, tried);
create index box_login_tried on box_login (tried);

-- The MACs that asked to sign in and that no client has: whoever makes a client for one sees that its box is there. A
-- crash may empty it.
create unlogged table unknown_box (
  mac text,
  first_asked timestamptz not null,
  asked timestamptz not null,
  -- The address that it asked from; null where a proxy hid it.
  address text,
  stb_type text not null,
  version text not null,
  -- How often it asked.
  times bigint not null default 1,
  constraint unknown_box_pkey primary key (mac)
);

create index unknown_box_asked on unknown_box (asked);

-- How many boxes were known and online at the beginning of each minute. Reading all of them takes too long for a
-- screen.
create table box_count (
  at timestamptz,
  online integer not null,
  -- Null where a version before counted.
  known integer,
  constraint box_count_pkey primary key (at)
);

create table box_model (
  stb_type text,
  version text,
  boxes integer not null,
  online integer not null,
  -- The same in every row.
  counted timestamptz not null,
  constraint box_model_pkey primary key (stb_type, version)
);

-- Counts the boxes of the most frequent types and versions.
create function models_of_boxes(online_since timestamptz, most integer)
  returns table (stb_type text, version text, boxes integer, online integer)
  language sql stable set search_path = public, pg_temp as $$
  select coalesce(d.stb_type, ''), coalesce(d.version, ''), count(*)::integer, (count(*) filter (where p.polled > online_since))::integer
  from device d left join presence p on p.client = d.client
  group by 1, 2 order by 3 desc, 1, 2 limit most
$$;

-- Counts them anew. Reads all boxes before it writes, because meanwhile a change that is under way would hold up
-- others.
create function count_box_models(moment timestamptz, online_since timestamptz, most integer) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  models box_model[];
begin
  models := array(
    select (m.stb_type, m.version, m.boxes, m.online, moment)::box_model from models_of_boxes(online_since, most) m
  );
  delete from box_model;
  insert into box_model select * from unnest(models);
end $$;

-- For counting, by reason, the boxes that were refused when they asked last. They are few, and a poll of any other box
-- writes nothing to this index.
create index presence_refusal on presence (refusal) where refusal is not null;

-- What boxes are told at their polls: each row once, in the order of the ids, until its expiry. The sender sees here
-- what became of it.
create table box_event (
  id bigint generated always as identity,
  client bigint not null,
  -- As the protocol calls it.
  event text not null,
  message text not null default '',
  created timestamptz not null,
  expiry timestamptz not null,
  -- Who sent it; null where a change of the client did.
  actor bigint,
  told timestamptz,
  -- When the box said that it showed the message.
  confirmed timestamptz,
  constraint box_event_pkey primary key (id),
  constraint box_event_event_check check (event in ('send_msg', 'reboot', 'reload_portal', 'update_channels')),
  constraint box_event_confirmed_check check (confirmed is null or told is not null),
  constraint box_event_client_fk foreign key (client) references client (id),
  constraint box_event_actor_fk foreign key (actor) references account (id)
);

create index box_event_client on box_event (client, id);
create index box_event_expiry on box_event (expiry);
-- Finds until when something waits for a box, which is read with each client.
create index box_event_waiting on box_event (client, expiry) where told is null;

-- A transaction may be committed after another one with a later number. So each row has the number of its transaction,
-- and a reader asks again for all rows from the oldest transaction that was still under way when it last read.
create table box_change (
  written xid8 not null default pg_current_xact_id(),
  client bigint not null,
  at timestamptz not null default now()
);

create index box_change_written on box_change (written);
create index box_change_at on box_change (at);

create function log_changed_clients() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Not joined: the plan is kept, and one that was made for a single client takes long for a thousand.
  insert into box_change (client) select id from (
    select id, dealer, mac, ministra, alt_player, active, locked, package_selection, deleted from changed
    except
    select id, dealer, mac, ministra, alt_player, active, locked, package_selection, deleted from replaced
  ) as other;
  return null;
end $$;

create trigger log_changed_clients after update on client
  referencing old table as replaced new table as changed for each statement execute function log_changed_clients();

-- A client without a device has no box that is signed in.
create function log_changed_services() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_change (client) select s.client from changed s join device d on d.client = s.client;
  return null;
end $$;

create trigger log_changed_services after update on service
  referencing new table as changed for each statement execute function log_changed_services();

create function log_changed_device() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_change (client) values (coalesce(new.client, old.client));
  return null;
end $$;

create trigger log_changed_device after update of stb_sn, device_id, device_id2, mac, token_nonce, takeovers_refused,
  locked_to_ip, cut on device for each row execute function log_changed_device();
create trigger log_new_device after insert or delete on device for each row execute function log_changed_device();

create function log_new_events() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_change (client) select distinct client from added;
  return null;
end $$;

create trigger log_new_events after insert on box_event
  referencing new table as added for each statement execute function log_new_events();

-- With another package a box has other channels, and with another player their addresses differ.
create function tell_of_channels() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  others bigint[] := array(
    select id from (
      select id, package_selection, alt_player from changed
      except
      select id, package_selection, alt_player from replaced
    ) as other
  );
begin
  -- Most changes of clients are none of these, and have nothing to do with the events.
  if others <> '{}' then
    insert into box_event (client, event, created, expiry)
    select client, 'update_channels', moment(), moment() + interval '240 seconds' from device where client = any (others);
  end if;
  return null;
end $$;

create trigger tell_of_channels after update on client
  referencing old table as replaced new table as changed for each statement execute function tell_of_channels();

-- The dealers whose clients are not served, because they or an account above them are suspended with service.
create view dealer_out_of_service as
  select a.id as dealer from account a join suspension s on s.account in (a.id, a.reseller, a.superreseller)
  where a.role = 'dealer' and s.lifted is null and s.service_too;

-- Returns the network that one customer of a provider has: an IPv4 address itself, or the /64 of an IPv6 address. Null
-- where it is no address, which PostgreSQL 15 cannot ask beforehand.
create function network_of(address text) returns inet
  language plpgsql immutable strict set search_path = public, pg_temp as $$
declare
  known inet;
begin
  known := split_part(address, '%', 1);
  -- A server that listens on both families has an IPv4 address as '::ffff:192.0.2.1'.
  if known <<= '::ffff:0:0/96' then
    known := substr(host(known), length('::ffff:') + 1);
  end if;
  return network(set_masklen(known, case when family(known) = 6 then 64 else masklen(known) end));
exception when invalid_text_representation then
  return null;
end $$;

-- The server calls this instead of deleting from `device`, because a right to delete would allow it to lock the table.
create function forget_device(of_client bigint) returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    with forgotten as (delete from device where client = of_client returning true),
      lost as (delete from presence where client = of_client returning true)
    select exists (select from forgotten) or exists (select from lost)
  $$;
