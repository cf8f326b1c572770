-- Expands: a client is served until the expiry that the newest row of its purchases and retrievals says. Servers of the
-- versions before, which set it themselves right after that row, set the same.
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

  -- Only now that the holdings are locked: whoever moves the dealer has ended, and the service is counted beneath the
  -- superreseller that the dealer has. That of a new client ends as its first purchase says already.
  update service s set expiry = newest.expiry
  from (
    select distinct on (client) client, expiry from posted where type in ('USED', 'RETRIEVED') order by client, id desc
  ) newest
  where s.client = newest.client and s.expiry <> newest.expiry;
  return null;
end $$;
