-- The clients of the dealers, in tables by how often they change. `client` is what the dealer typed; a deleted
-- client stays there without its password, phone number and description, so that its history keeps its place, and its
-- login and MAC are free again.
-- `service` is until when each living client is served: every renewal changes it, and the many indexes by which clients
-- are searched and sorted must not pay for that. What their boxes tell is in boxes.sql.

create table client (
  id bigint generated always as identity,
  dealer bigint not null,
  dealer_role text not null default 'dealer',
  name text not null,
  -- AES-256-GCM under SECRET_KEY: the dealer must be able to read it.
  password bytea,
  mac text,
  ministra boolean not null,
  alt_player boolean not null default false,
  -- The dealer's switch; 'status' on the wire.
  active boolean not null default true,
  -- Ten digits, '+' and 4 to 15 of a number from abroad, or other digits as they were typed.
  phone text not null,
  description text not null,
  package_selection integer not null,
  locked boolean not null default false,
  created timestamptz not null,
  deleted timestamptz,
  constraint client_pkey primary key (id),
  constraint client_dealer_role_check check (dealer_role = 'dealer'),
  constraint client_name_check check (name ~ '^[A-Za-z0-9._-]{5,15}$'),
  constraint client_mac_check check (mac ~ '^00:1A:79(:[0-9A-F]{2}){3}$'),
  constraint client_phone_check check (phone ~ '^([0-9]{0,15}|[+][0-9]{4,15})$'),
  constraint client_description_check check (length(description) <= 100),
  -- A living client has a password, and either a MAC or Ministra.
  constraint client_living_check check (deleted is not null or (password is not null and ministra = (mac is null))),
  constraint client_dealer_fk foreign key (dealer, dealer_role) references account (id, role)
);

create unique index client_name_key on client (lower(name)) where deleted is null;
create unique index client_mac_key on client (mac) where deleted is null;

create trigger stays before delete or truncate on client for each statement execute function refuse_removal();

create table service (
  client bigint,
  -- The client's own, so that a list in the order of expiries is one index.
  dealer bigint not null,
  name text not null,
  expiry timestamptz not null,
  constraint service_pkey primary key (client),
  constraint service_client_fk foreign key (client) references client (id)
);

-- That a client was reminded of its expiry, by whom and when. It follows the client to another dealer.
create table reminder (
  client bigint,
  account bigint not null,
  reminded timestamptz not null,
  constraint reminder_pkey primary key (client),
  constraint reminder_client_fk foreign key (client) references client (id),
  constraint reminder_account_fk foreign key (account) references account (id)
);

create function end_services() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone bigint[] := array(
    select id from changed where deleted is not null except select id from replaced where deleted is not null
  );
begin
  -- Most changes of clients delete none.
  if gone <> '{}' then
    delete from service where client = any (gone);
    delete from device where client = any (gone);
    delete from presence where client = any (gone);
    delete from box_event where client = any (gone);
    delete from reminder where client = any (gone);
    delete from favourite where client = any (gone);
    delete from stream_use where client = any (gone);
    -- Not in the statement that deletes: here the directory has no row of them any more, which would follow.
    update client set phone = '', description = '' where id = any (gone) and (phone <> '' or description <> '');
  end if;
  return null;
end $$;

create trigger end_services after update on client
  referencing old table as replaced new table as changed for each statement execute function end_services();

-- Takes a reminder back. The server calls this instead of deleting from `reminder`, because a right to delete would
-- allow it to lock the table. Returns whether there was one.
create function forget_reminder(of_client bigint) returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    with forgotten as (delete from reminder where client = of_client returning true)
    select exists (select from forgotten)
  $$;
