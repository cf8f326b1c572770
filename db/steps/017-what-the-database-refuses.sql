-- Expands: nothing is forgotten before its time, no transfer is dated before those that are there, and moves are not all read.
create or replace function remove_outdated(name text, before timestamptz, most integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  removed integer;
begin
  before := least(before, moment() - case
    when name in ('export_ticket', 'session', 'captcha_used') then interval '0'
    when name in ('box_login', 'box_change') then interval '1 hour'
    else interval '24 hours'
  end);
  case name
    when 'export_ticket' then
      delete from export_ticket where ticket_hash = any (
        array(select ticket_hash from export_ticket where expiry <= before limit most));
    when 'session' then
      delete from session where token_hash = any (
        array(select token_hash from session where expiry <= before limit most));
    when 'login_try' then
      delete from login_try where id = any (array(select id from login_try where tried <= before limit most));
    when 'captcha_used' then
      delete from captcha_used where solution_hash = any (
        array(select solution_hash from captcha_used where expiry <= before limit most));
    when 'idempotency_key' then
      delete from idempotency_key where ctid = any (
        array(select ctid from idempotency_key where created <= before limit most));
    when 'sign_in' then
      delete from sign_in where id = any (array(select id from sign_in where at <= before limit most));
    when 'device_history' then
      delete from device_history where id = any (array(select id from device_history where at <= before limit most));
    when 'channel' then
      -- Those seen long ago, and all but the newest 300,000; none that was seen last.
      delete from channel where id = any (array(
        select id from channel
        where seen < (select max(seen) from channel) and seen <= greatest(
          least(before, (select max(seen) from channel) - interval '2 days'),
          (select seen from channel order by seen desc offset 300000 limit 1))
        limit most));
    when 'channel_group' then
      -- Of those that the playlist in use does not have, all but 20,000: those whose packages were chosen, and the newest.
      delete from channel_group where id = any (array(
        select id from channel_group where channels = 0
        order by packages <> '{1,7}' desc, id desc offset 20000 limit most));
    when 'box_login' then
      delete from box_login where id = any (array(select id from box_login where tried <= before limit most));
    when 'unknown_box' then
      -- Those that asked long ago, and all but the newest 10,000.
      delete from unknown_box where mac = any (
        array(
          select mac from unknown_box
          where asked <= greatest(before, (select asked from unknown_box order by asked desc offset 10000 limit 1))
          limit most));
    when 'box_count' then
      delete from box_count where at <= before;
    when 'box_event' then
      delete from box_event where id = any (array(select id from box_event where expiry <= before limit most));
    when 'box_change' then
      delete from box_change where ctid = any (array(select ctid from box_change where at <= before limit most));
    when 'server_process' then
      delete from server_process where id = any (array(select id from server_process where seen <= before limit most));
    when 'audit' then
      update audit set address = null where id = any (
        array(select id from audit where at <= before and address is not null limit most));
  end case;
  get diagnostics removed = row_count;
  return removed;
end $$;

create or replace function post_transfers() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  movement record;
  concerned record;
  moved integer;
  newest timestamptz := (select max(created) from transfer);
begin
  -- A transaction that has waited may be older than the newest row, but the clock may not: then it was set back, or is
  -- that of another machine.
  if newest > clock_timestamp() + interval '2 seconds'
    and not exists (select from setup where key = 'clock' and value = 'played') then
    raise exception 'the clock is behind the newest transfer' using errcode = 'BX503';
  end if;
  for movement in
    select type, source, destination, superreseller, reseller, dealer, from_superreseller, from_reseller, from_dealer,
      actor, sum(credits)::bigint as credits,
      (array_agg(source_balance order by id desc))[1] as source_balance,
      (array_agg(destination_balance order by id desc))[1] as destination_balance
    from posted group by type, source, destination, superreseller, reseller, dealer, from_superreseller, from_reseller,
      from_dealer, actor
  loop
    select a.id, a.parent, a.role, a.superreseller, a.reseller, s.kind as source, s.account as giver,
      d.kind as destination, d.account as receiver
    into concerned
    from account a left join holding s on s.id = movement.source left join holding d on d.id = movement.destination
    where a.id = coalesce(movement.dealer, movement.reseller, movement.superreseller);
    if (case concerned.role
      when 'dealer' then movement.superreseller = concerned.superreseller and movement.reseller = concerned.reseller
      when 'reseller' then movement.superreseller = concerned.superreseller
      when 'superreseller' then true
    end) is not true then
      raise exception 'a transfer does not lie on the path of the account that it concerns'
        using errcode = 'foreign_key_violation';
    end if;
    if movement.actor <> concerned.id and movement.actor <> concerned.parent then
      perform from account where id = movement.actor;
      if not found then
        raise exception 'a transfer names nobody who acted' using errcode = 'foreign_key_violation';
      end if;
    end if;
    if movement.type = 'MOVE' then
      perform from account where id = movement.from_dealer and role = 'dealer'
        and reseller = movement.from_reseller and superreseller = movement.from_superreseller;
      if not found then
        raise exception 'a client does not come from the path of its old dealer' using errcode = 'foreign_key_violation';
      end if;
    end if;
    continue when movement.source is null;

    if concerned.giver is null or concerned.receiver is null then
      raise exception 'a transfer names a holding that is not there' using errcode = 'foreign_key_violation';
    end if;
    if (case movement.type
      when 'ADD' then concerned.source = 'consumed' or concerned.destination <> 'balance'
        or concerned.giver <> concerned.parent or concerned.receiver <> concerned.id
      when 'REMOVE' then concerned.source <> 'balance' or concerned.destination = 'consumed'
        or concerned.giver <> concerned.id or concerned.receiver <> concerned.parent
      when 'USED' then concerned.source <> 'balance' or concerned.destination <> 'consumed'
        or concerned.giver <> concerned.id or concerned.receiver <> concerned.id
      when 'RETRIEVED' then concerned.source <> 'consumed' or concerned.destination <> 'balance'
        or concerned.giver <> concerned.id or concerned.receiver <> concerned.id
      when 'MOVE' then concerned.source <> 'consumed' or concerned.destination <> 'consumed'
        or concerned.giver <> movement.from_dealer or concerned.receiver <> concerned.id
    end) is not false then
      raise exception 'a transfer joins two holdings that none of its type does'
        using errcode = 'integrity_constraint_violation';
    end if;
    update holding set balance = case id when movement.source then movement.source_balance else movement.destination_balance end
    where id in (movement.source, movement.destination) and balance = case id
      when movement.source then movement.source_balance + movement.credits
      else movement.destination_balance - movement.credits
    end;
    get diagnostics moved = row_count;
    if moved <> 2 then
      raise exception 'a transfer states a balance that its holding does not have'
        using errcode = 'integrity_constraint_violation';
    end if;
  end loop;

  if exists (
    select from posted left join client on client.id = posted.client and client.dealer = posted.dealer
    where posted.client is not null and client.id is null
  ) then
    raise exception 'a transfer concerns a client that its dealer does not have' using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;

create or replace view client_change as
  select c.created as at, coalesce(born.superreseller, d.superreseller) as superreseller,
    coalesce(born.reseller, d.reseller) as reseller, 1 as clients
  from client c join account d on d.id = c.dealer left join lateral (
    select coalesce(t.from_superreseller, t.superreseller) as superreseller, coalesce(t.from_reseller, t.reseller) as reseller
    from transfer t where t.client = c.id order by t.id limit 1
  ) born on true
  union all
  select c.deleted, coalesce(gone.superreseller, d.superreseller), coalesce(gone.reseller, d.reseller), -1
  from client c join account d on d.id = c.dealer left join lateral (
    select t.superreseller, t.reseller from transfer t
    where t.client = c.id and c.dealer in (select account from tree_move) order by t.id desc limit 1
  ) gone on true
  where c.deleted is not null
  union all
  select m.created, side.superreseller, side.reseller, side.sign * m.clients
  from tree_move m cross join lateral (
    values (m.from_superreseller, m.from_reseller, -1), (m.to_superreseller, m.to_reseller, 1)
  ) side (superreseller, reseller, sign)
  where m.clients > 0
  union all
  select t.created, side.superreseller, side.reseller, side.sign
  from transfer t cross join lateral (
    values (t.from_superreseller, t.from_reseller, -1), (t.superreseller, t.reseller, 1)
  ) side (superreseller, reseller, sign)
  where t.type = 'MOVE';
