-- The ledger uses double entry. Its rows are only appended, and the database itself maintains the balances.
--
-- A holding is where credits are: the issue (which goes below zero by what the admin has issued), the balance of an
-- account, and what a dealer has consumed. A transfer moves credits from one holding to another. Nobody updates a
-- holding directly: a trigger does it in the statement that inserts the transfer, or the insert fails. Holdings have a
-- table of their own because they change with every transfer, and because the server may write accounts.

create table holding (
  id bigint generated always as identity,
  account bigint not null,
  kind text not null,
  balance bigint not null default 0,
  constraint holding_pkey primary key (id),
  constraint holding_account_kind_key unique (account, kind),
  constraint holding_kind_check check (kind in ('issue', 'balance', 'consumed')),
  constraint holding_balance_check check (balance >= 0 or kind = 'issue'),
  constraint holding_account_fk foreign key (account) references account (id)
) with (fillfactor = 50);

create trigger stays before delete or truncate on holding for each statement execute function refuse_removal();

create table transfer (
  id bigint generated always as identity,
  created timestamptz not null default moment(),
  type text not null,
  credits integer not null,
  source bigint,
  destination bigint,
  -- The two balances after this transfer, so that a missing row shows as a gap in the holding's balances.
  source_balance bigint,
  destination_balance bigint,
  -- The path to the account that the transfer concerns. Every account on the path may see the transfer.
  superreseller bigint not null,
  reseller bigint,
  dealer bigint,
  -- For MOVE only: the path to the dealer from whom the client comes. Every account on it may see the transfer too.
  from_superreseller bigint,
  from_reseller bigint,
  from_dealer bigint,
  client bigint,
  actor bigint not null,
  -- Copies of the client's or account's fields at that time, so that the history outlives a deletion; of the trial of a
  -- Ministra client, the MAC of its box.
  login text not null,
  mac text,
  description text not null,
  expiry timestamptz,
  -- For USED only: the previous expiry, and the calendar day from which the months were counted.
  expiry_before timestamptz,
  counted_from date,
  constraint transfer_pkey primary key (id),
  constraint transfer_type_check check (type in ('ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE', 'MOVE')),
  constraint transfer_credits_check check (
    case
      when type in ('TRIAL', 'DELETE') or (type = 'MOVE' and credits = 0)
        then credits = 0 and source is null and destination is null
      else credits > 0 and (source <> destination) is true
    end
  ),
  constraint transfer_client_check check (
    case when type in ('ADD', 'REMOVE') then client is null else num_nonnulls(client, dealer, expiry) = 3 end
  ),
  constraint transfer_counted_check check ((type = 'USED') = (counted_from is not null and expiry_before is not null)),
  -- `post_transfers` checks that the holdings, the accounts and the client are there, and nothing ever removes one.
  -- Foreign keys would look each of them up again, and lock the rows of the accounts, which all renewals beneath them
  -- share.
  constraint transfer_path_check check (dealer is null or reseller is not null),
  constraint transfer_from_check check (
    case type
      when 'MOVE' then num_nonnulls(from_superreseller, from_reseller, from_dealer) = 3 and from_dealer <> dealer
      else num_nonnulls(from_superreseller, from_reseller, from_dealer) = 0
    end
  )
);

create index transfer_created on transfer (created);
create index transfer_superreseller on transfer (superreseller, created);
create index transfer_reseller on transfer (reseller, created) where reseller is not null;
create index transfer_dealer on transfer (dealer, created) where dealer is not null;
create index transfer_from_superreseller on transfer (from_superreseller, created) where from_superreseller is not null;
create index transfer_from_reseller on transfer (from_reseller, created) where from_reseller is not null;
create index transfer_from_dealer on transfer (from_dealer, created) where from_dealer is not null;
create index transfer_client on transfer (client, id) where client is not null;
create index transfer_trial on transfer (mac, created) where type = 'TRIAL';
-- Nearly all rows are renewals. Without these indexes a page of another type would read all renewals of a branch.
create index transfer_rare on transfer (type, created) where type <> 'USED';
create index transfer_rare_of_superreseller on transfer (superreseller, type, created) where type <> 'USED';
create index transfer_rare_of_reseller on transfer (reseller, type, created) where type <> 'USED' and reseller is not null;
create index transfer_rare_of_dealer on transfer (dealer, type, created) where type <> 'USED' and dealer is not null;

-- Locks holdings in the order of their ids, so that two transfers never deadlock, and then reads them with the account
-- of each and its path. Whoever moves an account locks its holdings first, so what is read here stays so until the
-- transaction ends. The server has no right to update holdings, and so needs this function to lock them.
create function lock_holdings(ids bigint[])
  returns table (id bigint, kind text, balance bigint, account bigint, role text, superreseller bigint, reseller bigint,
    closed boolean)
  language plpgsql volatile rows 2 security definer set search_path = public, pg_temp as $$
begin
  perform from holding h where h.id = any (ids) order by h.id for update;
  return query
    select h.id, h.kind, h.balance, a.id, a.role, a.superreseller, a.reseller, a.closed is not null
    from holding h join account a on a.id = h.account where h.id = any (ids);
end $$;

-- Locks those holdings of accounts that no other transaction has locked, without waiting for the others, and then reads
-- them like `lock_holdings`.
create function lock_free_holdings(of_accounts bigint[])
  returns table (id bigint, kind text, balance bigint, account bigint, role text, superreseller bigint, reseller bigint,
    closed boolean)
  language plpgsql volatile rows 2 security definer set search_path = public, pg_temp as $$
declare
  free bigint[];
begin
  free := array(select h.id from holding h where h.account = any (of_accounts) for update skip locked);
  return query
    select h.id, h.kind, h.balance, a.id, a.role, a.superreseller, a.reseller, a.closed is not null
    from holding h join account a on a.id = h.account where h.id = any (free);
end $$;

-- Moves the credits of the inserted transfers, and refuses a transfer that breaks one of these rules:
--
-- - ADD and REMOVE move credits between an account and its parent.
-- - USED takes credits from a dealer's balance, and RETRIEVED from what the same dealer has consumed.
-- - MOVE takes what was used on a client from what its old dealer has consumed to what its new dealer has.
-- - A transfer lies on the path of the account that it concerns, and names a client of that dealer and who acted.
-- - It states the balances that its two holdings have afterwards.
-- - No two movements of a statement share a holding.
--
-- A client is served until the expiry that is paid for, or that is left where credits are taken back: the row says it,
-- and the service follows.
--
-- Fails with BX503 where the clock is behind the newest transfer.
--
-- Transfers of one statement that have the same type, path, actor and holdings are posted as one movement.
--
-- Tables are joined by their indexes alone: the plan is kept, and one that was made for many movements, or while the
-- tables were nearly empty, would read all accounts for a single one.
create function post_transfers() returns trigger language plpgsql security definer set search_path = public, pg_temp
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

create trigger post_transfers after insert on transfer
  referencing new table as posted for each statement execute function post_transfers();

create trigger appended_only before update or delete or truncate on transfer
  for each statement execute function refuse_change();

-- The MACs that a client received during its trial, typed or of a box that signed in to a Ministra client, which may
-- have any. Such a MAC has had a trial too, which does not count as one of the dealer's trials of the day. Trials that
-- dealers give are rows of the ledger, so both tables say whether a MAC had one.
create table mac_trial (
  mac text,
  client bigint,
  created timestamptz default moment(),
  constraint mac_trial_pkey primary key (mac, client, created),
  constraint mac_trial_mac_check check (mac ~ '^([0-9A-F]{2}:){5}[0-9A-F]{2}$'),
  constraint mac_trial_client_fk foreign key (client) references client (id)
);

create index mac_trial_created on mac_trial (created);
create index mac_trial_client on mac_trial (client, created);

create trigger appended_only before update or delete or truncate on mac_trial
  for each statement execute function refuse_change();

-- Creates the holdings of a new account, because the server has no right to create them.
create function open_holdings() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into holding (account, kind) values (new.id, case new.role when 'admin' then 'issue' else 'balance' end);
  if new.role = 'dealer' then
    insert into holding (account, kind) values (new.id, 'consumed');
  end if;
  return null;
end $$;

create trigger open_holdings after insert on account for each row execute function open_holdings();
