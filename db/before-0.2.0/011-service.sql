-- Until when each living client is served. Apart from the client, because every renewal changes it, and the many
-- indexes by which clients are searched and sorted shall not pay for that. A deleted client has none.
create table service (
  client bigint primary key references client (id),
  -- The client's own, which never change: so that a list in the order of expiries is one index.
  dealer bigint not null,
  name text not null,
  expiry timestamptz not null
);

insert into service (client, dealer, name, expiry) select id, dealer, name, expiry from client where deleted is null;
alter table client drop column expiry;

create index service_of_dealer on service (dealer, expiry, lower(name));
create index service_expiry on service (expiry, lower(name));

-- Every order in which clients are listed, a dealer's and all.
create index client_dealer_description on client (dealer, lower(description), lower(name)) where deleted is null;
create index client_dealer_mac on client (dealer, mac, lower(name)) where deleted is null;
create index client_dealer_ministra on client (dealer, ministra, lower(name)) where deleted is null;
create index client_dealer_active on client (dealer, active, lower(name)) where deleted is null;
create index client_description on client (lower(description), lower(name)) where deleted is null;
create index client_mac_name on client (mac, lower(name)) where deleted is null;
create index client_ministra on client (ministra, lower(name)) where deleted is null;
create index client_active on client (active, lower(name)) where deleted is null;

-- How many clients are served until each moment, which is the end of a day: counted along, so that no list counts a
-- hundred thousand rows. No check keeps them from falling below zero: verify holds them against the clients.
create table dealer_clients (
  dealer bigint not null references account (id),
  expiry timestamptz not null,
  clients integer not null,
  primary key (dealer, expiry)
) with (fillfactor = 50);

-- The same of each superreseller, in four parts, so that its dealers seldom wait for each other.
create table superreseller_clients (
  superreseller bigint not null references account (id),
  part smallint not null,
  expiry timestamptz not null,
  clients integer not null,
  primary key (superreseller, part, expiry)
) with (fillfactor = 50);

-- Adds to the counts, in the order of their keys: two that change many never wait for each other in a circle. They
-- come after the clients that they count and before the holdings that pay for them.
create function count_clients(dealers bigint[], expiries timestamptz[], counts integer[]) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  insert into dealer_clients as kept (dealer, expiry, clients)
  select dealer, expiry, sum(count) from unnest(dealers, expiries, counts) moved (dealer, expiry, count)
  group by dealer, expiry having sum(count) <> 0 order by dealer, expiry
  on conflict (dealer, expiry) do update set clients = kept.clients + excluded.clients;

  insert into superreseller_clients as kept (superreseller, part, expiry, clients)
  select a.superreseller, dealer % 4 as part, expiry, sum(count)
  from unnest(dealers, expiries, counts) moved (dealer, expiry, count) join account a on a.id = dealer
  group by 1, 2, 3 having sum(count) <> 0 order by 1, 2, 3
  on conflict (superreseller, part, expiry) do update set clients = kept.clients + excluded.clients;
end $$;

create function count_services() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  case tg_op
    when 'INSERT' then
      perform count_clients(array_agg(dealer), array_agg(expiry), array_agg(1)) from come;
    when 'DELETE' then
      perform count_clients(array_agg(dealer), array_agg(expiry), array_agg(-1)) from gone;
    else
      perform count_clients(array_agg(dealer), array_agg(expiry), array_agg(count)) from (
        select dealer, expiry, 1 as count from come union all select dealer, expiry, -1 from gone
      ) moved;
  end case;
  return null;
end $$;

create trigger count_inserted after insert on service
  referencing new table as come for each statement execute function count_services();
create trigger count_updated after update on service
  referencing old table as gone new table as come for each statement execute function count_services();
create trigger count_deleted after delete on service
  referencing old table as gone for each statement execute function count_services();

-- Counts all anew, after the triggers were off: a load, a restore.
create function recount_clients() returns void
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  truncate dealer_clients, superreseller_clients;
  insert into dealer_clients (dealer, expiry, clients)
  select dealer, expiry, count(*) from service group by dealer, expiry;
  insert into superreseller_clients (superreseller, part, expiry, clients)
  select a.superreseller, dealer % 4, expiry, sum(clients) from dealer_clients join account a on a.id = dealer
  group by 1, 2, 3;
end $$;

select recount_clients();

-- Removes the counts that came to nothing and that no renewal can come back to.
create function forget_empty_counts(before timestamptz) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  delete from dealer_clients where clients = 0 and expiry < before;
  delete from superreseller_clients where clients = 0 and expiry < before;
end $$;
