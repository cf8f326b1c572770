-- Expands: the database refuses what no version of the server writes. A row that became new while its removal waited
-- stays, and nothing stays of the box of a client that is deleted. Both forms of an IPv4 address are one network.

-- A condition that is null lets a row through.
alter table account drop constraint account_path_check, add constraint account_path_check check (
  case role
    when 'admin' then superreseller is null and reseller is null
    when 'superreseller' then superreseller is null and reseller is null
    when 'reseller' then (superreseller = parent and reseller is null) is true
    else (superreseller is not null and reseller = parent) is true
  end
);
alter table credit_request drop constraint credit_request_granted_check, add constraint credit_request_granted_check check (
  case state when 'granted' then (granted between 1 and credits) is true else granted is null end
);
alter table playlist drop constraint playlist_held_check, add constraint playlist_held_check check (
  (held in ('empty', 'broken', 'shrunk')) is true
  and num_nulls(held_at, held_content, held_channels, held_skipped, held_groups) = 0
  or num_nonnulls(held, held_at, held_content, held_channels, held_skipped, held_groups) = 0
);

create function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception 'a closed account stays closed' using errcode = 'insufficient_privilege';
end $$;

create trigger stays_closed before update of closed on account for each row
  when (old.closed is not null and new.closed is distinct from old.closed) execute function refuse_reopening();

create or replace function post_transfers() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off as $$
declare
  newest timestamptz := (select max(created) from transfer);
  fault text;
  named bigint;
  moved bigint;
begin
  -- A transaction that has waited may be older than the newest row, but the clock may not: then it was set back, or is
  -- that of another machine.
  if newest > clock_timestamp() + interval '2 seconds' then
    if not exists (select from setup where key = 'clock' and value = 'played') then
      raise exception 'the clock is behind the newest transfer' using errcode = 'BX503';
    end if;
  end if;
  with movement as (
    select type, source, destination, superreseller, reseller, dealer, from_superreseller, from_reseller, from_dealer,
      actor, sum(credits)::bigint as credits,
      (array_agg(source_balance order by id desc))[1] as source_balance,
      (array_agg(destination_balance order by id desc))[1] as destination_balance
    from posted group by type, source, destination, superreseller, reseller, dealer, from_superreseller, from_reseller,
      from_dealer, actor
  ),
  judged as (
    select case
      when (case a.role
        when 'dealer' then m.superreseller = a.superreseller and m.reseller = a.reseller
        when 'reseller' then m.superreseller = a.superreseller and m.dealer is null
        when 'superreseller' then m.reseller is null and m.dealer is null
      end) is not true then 'a transfer does not lie on the path of the account that it concerns'
      when actor.id is null then 'a transfer names nobody who acted'
      when m.type = 'MOVE' and (
        o.role = 'dealer' and o.reseller = m.from_reseller and o.superreseller = m.from_superreseller
      ) is not true then 'a client does not come from the path of its old dealer'
      when m.source is null then null
      when s.id is null or d.id is null then 'a transfer names a holding that is not there'
      when (case m.type
        when 'ADD' then s.kind = 'consumed' or d.kind <> 'balance' or s.account <> a.parent or d.account <> a.id
        when 'REMOVE' then s.kind <> 'balance' or d.kind = 'consumed' or s.account <> a.id or d.account <> a.parent
        when 'USED' then s.kind <> 'balance' or d.kind <> 'consumed' or s.account <> a.id or d.account <> a.id
        when 'RETRIEVED' then s.kind <> 'consumed' or d.kind <> 'balance' or s.account <> a.id or d.account <> a.id
        when 'MOVE' then s.kind <> 'consumed' or d.kind <> 'consumed' or s.account <> m.from_dealer or d.account <> a.id
      end) is not false then 'a transfer joins two holdings that none of its type does'
    end as fault
    from movement m left join account a on a.id = coalesce(m.dealer, m.reseller, m.superreseller)
    left join account actor on actor.id = m.actor left join account o on o.id = m.from_dealer
    left join holding s on s.id = m.source left join holding d on d.id = m.destination
  ),
  side as (
    select source as holding, source_balance + credits as before, source_balance as balance from movement
    where source is not null
    union all
    select destination, destination_balance - credits, destination_balance from movement where source is not null
  ),
  moved as (
    update holding h set balance = side.balance from side
    where h.id = side.holding and h.balance = side.before and (select min(judged.fault) from judged) is null
    returning h.id
  )
  select (select min(judged.fault) from judged), (select count(*) from side), (select count(*) from moved)
  into fault, named, moved;
  if fault is not null then
    raise exception '%', fault using errcode = 'foreign_key_violation';
  end if;
  if moved <> named then
    raise exception 'a transfer states a balance that its holding does not have'
      using errcode = 'integrity_constraint_violation';
  end if;

  if exists (
    select from posted left join client on client.id = posted.client and client.dealer = posted.dealer
    where posted.client is not null and client.id is null
  ) then
    raise exception 'a transfer concerns a client that its dealer does not have' using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;

create or replace function remove_outdated(name text, before timestamptz, most integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  removed integer;
  newest timestamptz;
begin
  -- Each age stands in both conditions: a row that somebody changes while its deletion waits is judged once more.
  before := least(before, moment() - case
    when name in ('export_ticket', 'session', 'captcha_used') then interval '0'
    when name in ('box_login', 'box_change') then interval '1 hour'
    else interval '24 hours'
  end);
  case name
    when 'export_ticket' then
      delete from export_ticket where ticket_hash = any (
        array(select ticket_hash from export_ticket where expiry <= before limit most)) and expiry <= before;
    when 'session' then
      delete from session where token_hash = any (
        array(select token_hash from session where expiry <= before limit most)) and expiry <= before;
    when 'login_try' then
      delete from login_try where id = any (array(select id from login_try where tried <= before limit most))
        and tried <= before;
    when 'captcha_used' then
      delete from captcha_used where solution_hash = any (
        array(select solution_hash from captcha_used where expiry <= before limit most)) and expiry <= before;
    when 'idempotency_key' then
      delete from idempotency_key where ctid = any (
        array(select ctid from idempotency_key where created <= before limit most)) and created <= before;
    when 'sign_in' then
      delete from sign_in where id = any (array(select id from sign_in where at <= before limit most)) and at <= before;
    when 'device_history' then
      delete from device_history where id = any (array(select id from device_history where at <= before limit most))
        and at <= before;
    when 'channel' then
      -- Those seen long ago, and all but the newest 300,000; none that was seen last.
      newest := (select max(seen) from channel);
      before := greatest(
        least(before, newest - interval '2 days'), (select seen from channel order by seen desc offset 300000 limit 1));
      delete from channel where id = any (
        array(select id from channel where seen < newest and seen <= before limit most))
        and seen < newest and seen <= before;
    when 'channel_group' then
      -- Of those that the playlist in use does not have, all but 20,000: those whose packages were chosen, and the newest.
      delete from channel_group where id = any (array(
        select id from channel_group where channels = 0
        order by packages <> '{1,7}' desc, id desc offset 20000 limit most)) and channels = 0;
    when 'box_login' then
      delete from box_login where id = any (array(select id from box_login where tried <= before limit most))
        and tried <= before;
    when 'unknown_box' then
      -- Those that asked long ago, and all but the newest 10,000.
      before := greatest(before, (select asked from unknown_box order by asked desc offset 10000 limit 1));
      delete from unknown_box where mac = any (array(select mac from unknown_box where asked <= before limit most))
        and asked <= before;
    when 'box_count' then
      delete from box_count where at <= before;
    when 'box_event' then
      delete from box_event where id = any (array(select id from box_event where expiry <= before limit most))
        and expiry <= before;
    when 'box_change' then
      delete from box_change where ctid = any (array(select ctid from box_change where at <= before limit most))
        and at <= before;
    when 'presence' then
      -- Of clients that are deleted: what a gateway was just storing of a box may have brought its row back.
      delete from presence where client = any (array(
        select p.client from client c join presence p on p.client = c.id where c.deleted >= before limit most));
    when 'stream_use' then
      delete from stream_use where client = any (array(
        select u.client from client c join stream_use u on u.client = c.id where c.deleted >= before limit most));
    when 'server_process' then
      delete from server_process where id = any (array(select id from server_process where seen <= before limit most))
        and seen <= before;
    when 'audit' then
      update audit set address = null where id = any (
        array(select id from audit where at <= before and address is not null limit most));
  end case;
  get diagnostics removed = row_count;
  return removed;
end $$;

create or replace function network_of(address text) returns inet
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
