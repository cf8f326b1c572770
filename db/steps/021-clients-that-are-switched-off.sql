-- Expands: the clients that are switched off are listed, so that nobody looks up the service of each.
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

-- Nobody changes the directory meanwhile. Who waits to do so finds the triggers.
lock table directory in share row exclusive mode;
insert into switched_off (dealer, expiry, client)
select dealer, expiry, client from directory where not active;

create trigger keep_switched_off_at_insert after insert on directory for each row
  when (not new.active) execute function keep_switched_off();
create trigger keep_switched_off_at_update after update on directory for each row
  when (not (old.active and new.active)) execute function keep_switched_off();
create trigger keep_switched_off_at_delete after delete on directory for each row
  when (not old.active) execute function keep_switched_off();

create or replace function rebuild_lists() returns void
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
