-- Expands: the numbers of each account's clients by the month of their expiry are kept as well.
create table settled_month (
  account bigint not null,
  month timestamptz not null,
  clients integer not null,
  constraint settled_month_pkey primary key (account, month),
  constraint settled_month_account_fk foreign key (account) references account (id)
) with (fillfactor = 50);

-- Nobody settles counts meanwhile. Who waits to do so finds the triggers.
lock table settled_count in share row exclusive mode;
insert into settled_month (account, month, clients)
select account, date_trunc('month', expiry, 'UTC'), sum(clients) from settled_count
group by 1, 2 having sum(clients) <> 0;

create or replace function keep_totals() returns trigger
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

create or replace function rebuild_lists() returns void
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  truncate settled_count, settled_total, settled_month, count_change, directory;
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
end $$;

create or replace function forget_empty_counts(before timestamptz) returns void
  language sql volatile security definer set search_path = public, pg_temp as $$
  delete from settled_count where clients = 0 and expiry < before;
  delete from settled_total where clients = 0 and expiry < before;
  delete from settled_month where clients = 0 and month < date_trunc('month', before, 'UTC');
$$;
