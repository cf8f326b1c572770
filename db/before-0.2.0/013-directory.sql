-- Where clients are looked for: what is searched of each living client beside whose it is and until when it is served,
-- so that a search reads one narrow table. It is kept by the triggers below. A renewal changes its expiry, of which there
-- is no index here, in the room that each page leaves: the trigrams are not written again.
create table directory (
  client bigint primary key references client (id),
  dealer bigint not null,
  expiry timestamptz not null,
  active boolean not null,
  -- In lower case, as lists are ordered.
  name text not null,
  -- In lines: the name, the description, the MAC (twice, or nothing) and the phone.
  text text not null
) with (fillfactor = 90);

insert into directory (client, dealer, expiry, active, name, text)
select s.client, s.dealer, s.expiry, c.active, lower(s.name), search_text(c.name, c.description, c.mac, c.phone)
from service s join client c on c.id = s.client order by s.client;

create index directory_name on directory (name);
create index directory_dealer_name on directory (dealer, name);
create index directory_text on directory using gin (text gin_trgm_ops);
-- From so many samples the planner tells how broad a search is.
alter table directory alter text set statistics 1000;
drop statistics client_search_text;
drop index client_search;
analyze directory;

-- By the primary key, always: a session keeps the first plan that it made, and for few rows that may be another.
create function list_service() returns trigger
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

create trigger list_service after insert or update or delete on service
  for each row execute function list_service();

create function list_client() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  update directory set active = new.active, text = search_text(new.name, new.description, new.mac, new.phone)
  where client = new.id;
  return null;
end $$;

create trigger list_client after update of active, name, description, mac, phone on client for each row
  when (
    (old.active, old.name, old.description, old.mac, old.phone)
    is distinct from (new.active, new.name, new.description, new.mac, new.phone)
  )
  execute function list_client();

-- A superreseller's counts in one piece: in four, the admin's pages added up four times as many rows.
drop table superreseller_clients;
create table superreseller_clients (
  superreseller bigint not null references account (id),
  expiry timestamptz not null,
  clients integer not null,
  primary key (superreseller, expiry)
) with (fillfactor = 50);

create or replace function count_clients(dealers bigint[], expiries timestamptz[], counts integer[]) returns void
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

-- Derives anew all that triggers keep of services, after these were off: a load.
create function derive_services() returns void
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
drop function recount_clients();

insert into superreseller_clients (superreseller, expiry, clients)
select a.superreseller, expiry, sum(clients) from dealer_clients join account a on a.id = dealer group by 1, 2;
