-- Indexes and tables by which lists of clients are searched, sorted and counted quickly. Triggers derive all of it from
-- the clients and their services, `verify` compares it with them, and it can be rebuilt.
--
-- - directory: one narrow row for each living client, which a search reads instead of the wide ones
-- - switched_off: the few living clients that their dealer has switched off
-- - settled_count: how many clients have each expiry, of each dealer and of all beneath each superreseller, so that no
--   list counts a hundred thousand rows
-- - settled_total: the same of all clients, for the lists of the admin
-- - settled_month: the same of each account by the month of the expiry, for the numbers beneath thousands of accounts
-- - count_change: what has changed since; a job adds it to the settled counts each minute
-- - client_count, total_count: the sums of both, which are exact at any moment

create extension if not exists pg_trgm;

-- One index for each order in which a dealer's clients, or all clients, are listed.
create index client_of_dealer on client (dealer, lower(name)) where deleted is null;
create index client_dealer_description on client (dealer, lower(description), lower(name)) where deleted is null;
create index client_dealer_mac on client (dealer, mac, lower(name)) where deleted is null;
create index client_dealer_ministra on client (dealer, ministra, lower(name)) where deleted is null;
create index client_dealer_active on client (dealer, active, lower(name)) where deleted is null;
-- Those of all clients include what their order is made of, and the id, so that hundreds of thousands are skipped in
-- the index alone. A renewal changes no client, so the pages of clients stay marked as visible to all, which that
-- takes.
create index client_by_name on client (lower(name)) include (id, name) where deleted is null;
create index client_by_description on client (lower(description), lower(name)) include (id, description, name) where deleted is null;
create index client_by_mac on client (mac, lower(name)) include (id, name) where deleted is null;
create index client_by_ministra on client (ministra, lower(name)) include (id, name) where deleted is null;
create index client_by_active on client (active, lower(name)) include (id, name) where deleted is null;
create index service_of_dealer on service (dealer, expiry, lower(name));
create index service_expiry on service (expiry, lower(name));

-- A renewal changes only the expiry, which has no index here. The fill factor leaves room for the new row version on
-- the same page, so that no index entry, such as the many trigrams, is written again.
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

-- Returns each two letters that stand side by side. A trigram is found by three letters, so terms of two have an index
-- of their own.
create function letter_pairs(searched text) returns text[]
  language sql immutable strict parallel safe
  return array(
    select one || next from unnest(string_to_array(searched, null), (string_to_array(searched, null))[2:]) as side (one, next)
    where next is not null
  );

create index directory_pairs on directory using gin (letter_pairs(text));
-- Nothing is estimated by the pairs, and to find them in the sample of an ANALYZE takes nine tenths of its time.
alter index directory_pairs alter column 1 set statistics 0;

-- Who is counted, but not served. An index of the directory would do, but then a switch would write new entries to all
-- indexes of the directory.
create table switched_off (
  dealer bigint,
  expiry timestamptz,
  client bigint,
  constraint switched_off_pkey primary key (dealer, expiry, client),
  constraint switched_off_client_fk foreign key (client) references client (id)
);

create function keep_switched_off() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  if tg_op <> 'INSERT' then
    delete from switched_off where dealer = old.dealer and expiry = old.expiry and client = old.client;
  end if;
  if tg_op <> 'DELETE' then
    insert into switched_off (dealer, expiry, client)
    select new.dealer, new.expiry, new.client where not new.active;
  end if;
  return null;
end $$;

create trigger keep_switched_off_at_insert after insert on directory for each row
  when (not new.active) execute function keep_switched_off();
create trigger keep_switched_off_at_update after update on directory for each row
  when (not (old.active and new.active)) execute function keep_switched_off();
create trigger keep_switched_off_at_delete after delete on directory for each row
  when (not old.active) execute function keep_switched_off();

-- The planner needs this many samples to estimate how many rows a search matches.
alter table directory alter text set statistics 1000;

create table settled_count (
  account bigint not null,
  expiry timestamptz not null,
  clients integer not null,
  constraint settled_count_pkey primary key (account, expiry),
  constraint settled_count_account_fk foreign key (account) references account (id)
) with (fillfactor = 50);

create table settled_total (
  expiry timestamptz,
  clients integer not null,
  constraint settled_total_pkey primary key (expiry)
) with (fillfactor = 50);

-- A month in UTC, by its first moment.
create table settled_month (
  account bigint not null,
  month timestamptz not null,
  clients integer not null,
  constraint settled_month_pkey primary key (account, month),
  constraint settled_month_account_fk foreign key (account) references account (id)
) with (fillfactor = 50);

-- Changes of services that are not in the settled counts yet: one row for each dealer and expiry that a statement
-- changed. All renewals of a day reach the same expiry, so that each would otherwise wait until the one before it is on
-- the disk.
create table count_change (
  dealer bigint not null,
  superreseller bigint not null,
  expiry timestamptz not null,
  clients integer not null
);

create view client_count as
  select account, expiry, clients from settled_count
  union all
  select dealer, expiry, clients from count_change
  union all
  select superreseller, expiry, clients from count_change;

create view total_count as
  select expiry, clients from settled_total
  union all
  select expiry, clients from count_change;

-- Adds what has changed in the settled counts to those of the months, and that of superresellers, beneath whom all
-- clients are, to the totals.
create function keep_totals() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into settled_total as total (expiry, clients)
    select k.expiry, sum(k.clients) from added k join account a on a.id = k.account and a.role = 'superreseller'
    group by 1 order by 1
    on conflict (expiry) do update set clients = total.clients + excluded.clients;
    insert into settled_month as kept (account, month, clients)
    select k.account, date_trunc('month', k.expiry, 'UTC'), sum(k.clients) from added k group by 1, 2 order by 1, 2
    on conflict (account, month) do update set clients = kept.clients + excluded.clients;
  else
    insert into settled_total as total (expiry, clients)
    select k.expiry, sum(k.clients)
    from (select account, expiry, clients from added union all select account, expiry, -clients from removed) k
    join account a on a.id = k.account and a.role = 'superreseller'
    group by 1 order by 1
    on conflict (expiry) do update set clients = total.clients + excluded.clients;
    insert into settled_month as kept (account, month, clients)
    select k.account, date_trunc('month', k.expiry, 'UTC'), sum(k.clients)
    from (select account, expiry, clients from added union all select account, expiry, -clients from removed) k
    group by 1, 2 order by 1, 2
    on conflict (account, month) do update set clients = kept.clients + excluded.clients;
  end if;
  return null;
end $$;

create trigger keep_totals_at_insert after insert on settled_count
  referencing new table as added for each statement execute function keep_totals();
create trigger keep_totals_at_update after update on settled_count
  referencing old table as removed new table as added for each statement execute function keep_totals();

-- Returns the text that a search matches: one field a line, so that no term matches across two fields.
create function search_text(name text, description text, mac text, phone text) returns text
  language sql immutable parallel safe
  return lower(name || chr(10) || description || chr(10) || coalesce(mac || chr(10) || replace(mac, ':', ''), '') || chr(10) || phone);

-- Tables are joined by their indexes alone: the plan is kept, and one that was made for many clients, or while the
-- tables were nearly empty, would read the whole directory for a single one.
create function copy_services() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off as $$
begin
  case tg_op
    when 'INSERT' then
      insert into directory (client, dealer, expiry, active, name, text)
      select s.client, s.dealer, s.expiry, c.active, lower(s.name), search_text(c.name, c.description, c.mac, c.phone)
      from added s join client c on c.id = s.client;
    when 'DELETE' then
      delete from directory d using removed s where d.client = s.client;
    else
      update directory d set dealer = s.dealer, expiry = s.expiry from added s where d.client = s.client;
  end case;
  return null;
end $$;

create trigger copy_services_at_insert after insert on service
  referencing new table as added for each statement execute function copy_services();
create trigger copy_services_at_update after update on service
  referencing new table as added for each statement execute function copy_services();
create trigger copy_services_at_delete after delete on service
  referencing old table as removed for each statement execute function copy_services();

-- Disables sequential scans: a session caches its first plan, and on a nearly empty table that would be one.
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

-- Counts services that were added, removed or changed.
create function keep_counts() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  case tg_op
    when 'INSERT' then
      insert into count_change (dealer, superreseller, expiry, clients)
      select d.id, d.superreseller, s.expiry, count(*) from added s join account d on d.id = s.dealer group by 1, 2, 3;
    when 'DELETE' then
      insert into count_change (dealer, superreseller, expiry, clients)
      select d.id, d.superreseller, s.expiry, -count(*) from removed s join account d on d.id = s.dealer group by 1, 2, 3;
    else
      insert into count_change (dealer, superreseller, expiry, clients)
      select d.id, d.superreseller, s.expiry, sum(s.count)
      from (select dealer, expiry, 1 as count from added union all select dealer, expiry, -1 from removed) s
      join account d on d.id = s.dealer group by 1, 2, 3 having sum(s.count) <> 0;
  end case;
  return null;
end $$;

create trigger keep_counts_at_insert after insert on service
  referencing new table as added for each statement execute function keep_counts();
create trigger keep_counts_at_update after update on service
  referencing old table as removed new table as added for each statement execute function keep_counts();
create trigger keep_counts_at_delete after delete on service
  referencing old table as removed for each statement execute function keep_counts();

-- Rebuilds all lists after rows were loaded with the triggers off. Where those of settled_count and the directory are
-- on, they fill settled_total, settled_month and switched_off meanwhile, which are therefore emptied again before they
-- are filled here.
create function rebuild_lists() returns void
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  truncate settled_count, settled_total, settled_month, count_change, directory, switched_off;
  insert into settled_count (account, expiry, clients)
  select unnest(array[d.id, d.superreseller]), s.expiry, sum(s.clients)
  from (select dealer, expiry, count(*) as clients from service group by dealer, expiry) s
  join account d on d.id = s.dealer group by 1, 2;
  -- The triggers that keep these may be off too.
  delete from settled_total;
  insert into settled_total (expiry, clients) select expiry, count(*) from service group by expiry;
  delete from settled_month;
  insert into settled_month (account, month, clients)
  select account, date_trunc('month', expiry, 'UTC'), sum(clients) from settled_count group by 1, 2;
  insert into directory (client, dealer, expiry, active, name, text)
  select s.client, s.dealer, s.expiry, c.active, lower(s.name), search_text(c.name, c.description, c.mac, c.phone)
  from service s join client c on c.id = s.client order by s.client;
  delete from switched_off;
  insert into switched_off (dealer, expiry, client)
  select dealer, expiry, client from directory where not active order by 1, 2, 3;
end $$;

-- Adds at most `most` changes to the settled counts, in the order of their keys, so that two servers never deadlock. A
-- reader sees each change in one of the two tables. Returns how many there were.
create function settle_counts(most integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  settled integer;
begin
  with taken as (
    delete from count_change where ctid = any (array(select ctid from count_change limit most))
    returning dealer, superreseller, expiry, clients
  ),
  added as (
    insert into settled_count as kept (account, expiry, clients)
    select account, expiry, sum(clients) from (
      select dealer as account, expiry, clients from taken
      union all
      select superreseller, expiry, clients from taken
    ) change
    group by 1, 2 having sum(clients) <> 0 order by 1, 2
    on conflict (account, expiry) do update set clients = kept.clients + excluded.clients
  )
  select count(*) into settled from taken;
  return settled;
end $$;

-- Removes counts of zero whose expiry is too old for any renewal.
create function forget_empty_counts(before timestamptz) returns void
  language sql volatile security definer set search_path = public, pg_temp as $$
  delete from settled_count where clients = 0 and expiry < before;
  delete from settled_total where clients = 0 and expiry < before;
  delete from settled_month where clients = 0 and month < date_trunc('month', before, 'UTC');
$$;
