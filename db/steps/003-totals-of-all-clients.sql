-- Expands: the numbers of all clients by expiry are kept as well, so that the admin's lists do not add them up.
create table settled_total (
  expiry timestamptz,
  clients integer not null,
  constraint settled_total_pkey primary key (expiry)
) with (fillfactor = 50);

-- Nobody settles counts meanwhile. Who waits to do so finds the triggers.
lock table settled_count in share row exclusive mode;
insert into settled_total (expiry, clients)
select k.expiry, sum(k.clients) from settled_count k join account a on a.id = k.account and a.role = 'superreseller'
group by k.expiry;

create view total_count as
  select expiry, clients from settled_total
  union all
  select expiry, clients from count_change;

-- Adds what has changed in the counts of superresellers, beneath whom all clients are, to the totals.
create function keep_totals() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into settled_total as total (expiry, clients)
    select k.expiry, sum(k.clients) from added k join account a on a.id = k.account and a.role = 'superreseller'
    group by 1 order by 1
    on conflict (expiry) do update set clients = total.clients + excluded.clients;
  else
    insert into settled_total as total (expiry, clients)
    select k.expiry, sum(k.clients)
    from (select account, expiry, clients from added union all select account, expiry, -clients from removed) k
    join account a on a.id = k.account and a.role = 'superreseller'
    group by 1 order by 1
    on conflict (expiry) do update set clients = total.clients + excluded.clients;
  end if;
  return null;
end $$;

create trigger keep_totals_at_insert after insert on settled_count
  referencing new table as added for each statement execute function keep_totals();
create trigger keep_totals_at_update after update on settled_count
  referencing old table as removed new table as added for each statement execute function keep_totals();

create or replace function rebuild_lists() returns void
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  truncate settled_count, settled_total, count_change, directory;
  insert into settled_count (account, expiry, clients)
  select unnest(array[d.id, d.superreseller]), s.expiry, sum(s.clients)
  from (select dealer, expiry, count(*) as clients from service group by dealer, expiry) s
  join account d on d.id = s.dealer group by 1, 2;
  -- The triggers that keep the totals may be off too.
  delete from settled_total;
  insert into settled_total (expiry, clients) select expiry, count(*) from service group by expiry;
  insert into directory (client, dealer, expiry, active, name, text)
  select s.client, s.dealer, s.expiry, c.active, lower(s.name), search_text(c.name, c.description, c.mac, c.phone)
  from service s join client c on c.id = s.client order by s.client;
end $$;

create or replace function forget_empty_counts(before timestamptz) returns void
  language sql volatile security definer set search_path = public, pg_temp as $$
  delete from settled_count where clients = 0 and expiry < before;
  delete from settled_total where clients = 0 and expiry < before;
$$;
