-- Indexes and tables by which lists of clients are searched, sorted and counted quickly. All of it is derived from the
-- clients and their services by triggers, and can be rebuilt. `directory` has one narrow row for each living client,
-- which a search reads instead of the wide ones. `dealer_clients` and `superreseller_clients` count the clients of each
-- expiry, so that no list counts a hundred thousand rows. Only triggers write them, and `verify` compares them with the
-- clients.

create extension if not exists pg_trgm;

-- One index for each order in which a dealer's clients, or all clients, are listed.
create index client_of_dealer on client (dealer, lower(name)) where deleted is null;
create index client_dealer_description on client (dealer, lower(description), lower(name)) where deleted is null;
create index client_dealer_mac on client (dealer, mac, lower(name)) where deleted is null;
create index client_dealer_ministra on client (dealer, ministra, lower(name)) where deleted is null;
create index client_dealer_active on client (dealer, active, lower(name)) where deleted is null;
create index client_description on client (lower(description), lower(name)) where deleted is null;
create index client_mac_name on client (mac, lower(name)) where deleted is null;
create index client_ministra on client (ministra, lower(name)) where deleted is null;
create index client_active on client (active, lower(name)) where deleted is null;
create index service_of_dealer on service (dealer, expiry, lower(name));
create index service_expiry on service (expiry, lower(name));

-- A renewal changes only the expiry, which has no index here. The fill factor leaves room for the new row version on the
-- same page, so that no index entry, such as the many trigrams, is written again.
create table directory (
  client bigint,
  dealer bigint not null,
  expiry timestamptz not null,
  active boolean not null,
  -- In lower case, as lists are sorted.
  name text not null,
  -- Lines: the name, the description, the MAC (with and without colons, or neither) and the phone.
  text text not null,
  constraint directory_pkey primary key (client),
  constraint directory_client_fk foreign key (client) references client (id)
) with (fillfactor = 90);

create index directory_name on directory (name);
create index directory_dealer_name on directory (dealer, name);
create index directory_text on directory using gin (text gin_trgm_ops);
-- The planner needs this many samples to estimate how many rows a search matches.
alter table directory alter text set statistics 1000;

create table dealer_clients (
  dealer bigint not null,
  expiry timestamptz not null,
  clients integer not null,
  constraint dealer_clients_pkey primary key (dealer, expiry),
  constraint dealer_clients_dealer_fk foreign key (dealer) references account (id)
) with (fillfactor = 50);

create table superreseller_clients (
  superreseller bigint not null,
  expiry timestamptz not null,
  clients integer not null,
  constraint superreseller_clients_pkey primary key (superreseller, expiry),
  constraint superreseller_clients_superreseller_fk foreign key (superreseller) references account (id)
) with (fillfactor = 50);

-- Returns the text that a search matches: one field a line, so that no term matches across two fields.
create function search_text(name text, description text, mac text, phone text) returns text
  language sql immutable parallel safe
  return lower(name || chr(10) || description || chr(10) || coalesce(mac || chr(10) || replace(mac, ':', ''), '') || chr(10) || phone);

-- Disables sequential scans: a session caches its first plan, and on a nearly empty table that would be one.
create function copy_service_to_directory() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  case tg_op
    when 'INSERT' then
      insert into directory (client, dealer, expiry, active, name, text)
      select new.client, new.dealer, new.expiry, c.active, lower(new.name),
        search_text(c.name, c.description, c.mac, c.phone)
      from client c where c.id = new.client;
    when 'DELETE' then
      delete from directory where client = old.client;
    else
      update directory set expiry = new.expiry where client = new.client;
  end case;
  return null;
end $$;

create trigger copy_service_to_directory after insert or update or delete on service
  for each row execute function copy_service_to_directory();

create function copy_client_to_directory() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  update directory set active = new.active, text = search_text(new.name, new.description, new.mac, new.phone)
  where client = new.id;
  return null;
end $$;

create trigger copy_client_to_directory after update of active, name, description, mac, phone on client for each row
  when (
    (old.active, old.name, old.description, old.mac, old.phone)
    is distinct from (new.active, new.name, new.description, new.mac, new.phone)
  )
  execute function copy_client_to_directory();

-- Adds to the counts in the order of their keys, so that two large changes never deadlock. The counts are locked
-- after the clients that they count and before the holdings that pay for them.
create function add_to_counts(dealers bigint[], expiries timestamptz[], counts integer[]) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  insert into dealer_clients as kept (dealer, expiry, clients)
  select dealer, expiry, sum(count) from unnest(dealers, expiries, counts) moved (dealer, expiry, count)
  group by dealer, expiry having sum(count) <> 0 order by dealer, expiry
  on conflict (dealer, expiry) do update set clients = kept.clients + excluded.clients;

  insert into superreseller_clients as kept (superreseller, expiry, clients)
  select a.superreseller, expiry, sum(count)
  from unnest(dealers, expiries, counts) moved (dealer, expiry, count) join account a on a.id = dealer
  group by 1, 2 having sum(count) <> 0 order by 1, 2
  on conflict (superreseller, expiry) do update set clients = kept.clients + excluded.clients;
end $$;

create function keep_counts() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  case tg_op
    when 'INSERT' then
      perform add_to_counts(array_agg(dealer), array_agg(expiry), array_agg(1)) from added;
    when 'DELETE' then
      perform add_to_counts(array_agg(dealer), array_agg(expiry), array_agg(-1)) from removed;
    else
      perform add_to_counts(array_agg(dealer), array_agg(expiry), array_agg(count)) from (
        select dealer, expiry, 1 as count from added union all select dealer, expiry, -1 from removed
      ) moved;
  end case;
  return null;
end $$;

create trigger keep_counts_at_insert after insert on service
  referencing new table as added for each statement execute function keep_counts();
create trigger keep_counts_at_update after update on service
  referencing old table as removed new table as added for each statement execute function keep_counts();
create trigger keep_counts_at_delete after delete on service
  referencing old table as removed for each statement execute function keep_counts();

-- Rebuilds all lists after rows were loaded with the triggers off.
create function rebuild_lists() returns void
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  truncate dealer_clients, superreseller_clients, directory;
  insert into dealer_clients (dealer, expiry, clients)
  select dealer, expiry, count(*) from service group by dealer, expiry;
  insert into superreseller_clients (superreseller, expiry, clients)
  select a.superreseller, expiry, sum(clients) from dealer_clients join account a on a.id = dealer group by 1, 2;
  insert into directory (client, dealer, expiry, active, name, text)
  select s.client, s.dealer, s.expiry, c.active, lower(s.name), search_text(c.name, c.description, c.mac, c.phone)
  from service s join client c on c.id = s.client order by s.client;
end $$;

-- Removes counts of zero whose expiry is too old for any renewal.
create function forget_empty_counts(before timestamptz) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  delete from dealer_clients where clients = 0 and expiry < before;
  delete from superreseller_clients where clients = 0 and expiry < before;
end $$;
