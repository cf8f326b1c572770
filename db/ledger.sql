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
  client bigint,
  actor bigint not null,
  -- Copies of the client's or account's fields at that time, so that the history outlives a deletion.
  login text not null,
  mac text,
  description text not null,
  expiry timestamptz,
  -- For USED only: the previous expiry, and the calendar day from which the months were counted.
  expiry_before timestamptz,
  counted_from date,
  constraint transfer_pkey primary key (id),
  constraint transfer_type_check check (type in ('ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE')),
  constraint transfer_credits_check check (
    case
      when type in ('TRIAL', 'DELETE') then
        credits = 0 and source is null and destination is null and source_balance is null and destination_balance is null
      else
        credits > 0 and source is not null and destination is not null and source <> destination
        and source_balance is not null and destination_balance is not null
    end
  ),
  constraint transfer_client_check check (
    case
      when type in ('ADD', 'REMOVE') then client is null
      else client is not null and dealer is not null and expiry is not null
    end
  ),
  constraint transfer_counted_check check ((type = 'USED') = (counted_from is not null and expiry_before is not null)),
  constraint transfer_path_check check (dealer is null or reseller is not null),
  constraint transfer_source_fk foreign key (source) references holding (id),
  constraint transfer_destination_fk foreign key (destination) references holding (id),
  constraint transfer_superreseller_fk foreign key (superreseller) references account (id),
  constraint transfer_reseller_fk foreign key (reseller) references account (id),
  constraint transfer_dealer_fk foreign key (dealer) references account (id),
  constraint transfer_client_fk foreign key (client) references client (id),
  constraint transfer_actor_fk foreign key (actor) references account (id)
);

create index transfer_created on transfer (created);
create index transfer_superreseller on transfer (superreseller, created);
create index transfer_reseller on transfer (reseller, created) where reseller is not null;
create index transfer_dealer on transfer (dealer, created) where dealer is not null;
create index transfer_client on transfer (client, id) where client is not null;
create index transfer_trial on transfer (mac, created) where type = 'TRIAL';

-- Locks holdings in the order of their ids, so that two transfers never deadlock. The server has no right to update
-- holdings, and so needs this function to lock them.
create function lock_holdings(ids bigint[]) returns table (id bigint, balance bigint)
  language sql volatile security definer set search_path = public, pg_temp
  as $$ select h.id, h.balance from holding h where h.id = any (ids) order by h.id for update $$;

-- Checks that the type of each inserted transfer allows its two holdings, and then updates the balances. ADD and REMOVE
-- move credits between an account and its parent, USED takes them from a dealer's balance, and RETRIEVED takes them
-- from what the same dealer has consumed.
create function post_transfers() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (
    select from posted t join holding s on s.id = t.source join holding d on d.id = t.destination
    where case t.type
      when 'ADD' then s.kind = 'consumed' or d.kind <> 'balance'
        or s.account <> (select parent from account where id = d.account)
      when 'REMOVE' then s.kind <> 'balance' or d.kind = 'consumed'
        or d.account <> (select parent from account where id = s.account)
      when 'USED' then (s.kind, d.kind, s.account, d.account) <> ('balance', 'consumed', t.dealer, t.dealer)
      when 'RETRIEVED' then (s.kind, d.kind, s.account, d.account) <> ('consumed', 'balance', t.dealer, t.dealer)
    end is not false
  ) then
    raise exception 'a transfer joins two holdings that none of its type does'
      using errcode = 'integrity_constraint_violation';
  end if;

  update holding set balance = holding.balance + moved.delta
  from (
    select holding, sum(delta)::bigint as delta from (
      select source as holding, -credits as delta from posted where source is not null
      union all
      select destination, credits from posted where destination is not null
    ) sides group by holding
  ) moved
  where holding.id = moved.holding;

  if exists (
    select from (
      select distinct on (holding) holding, balance from (
        select id, source as holding, source_balance as balance from posted where source is not null
        union all
        select id, destination, destination_balance from posted where destination is not null
      ) sides order by holding, id desc
    ) last join holding on holding.id = last.holding where holding.balance <> last.balance
  ) then
    raise exception 'a transfer states a balance that its holding does not have' using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;

create trigger post_transfers after insert on transfer
  referencing new table as posted for each statement execute function post_transfers();

create trigger appended_only before update or delete or truncate on transfer
  for each statement execute function refuse_change();

-- The MACs that a client received during its trial. Such a MAC has had a trial too, which does not count as one of the
-- dealer's trials of the day. Trials that dealers give are rows of the ledger, so both tables say whether a MAC had
-- one.
create table mac_trial (
  mac text,
  client bigint,
  created timestamptz default moment(),
  constraint mac_trial_pkey primary key (mac, client, created),
  constraint mac_trial_mac_check check (mac ~ '^00:1A:79(:[0-9A-F]{2}){3}$'),
  constraint mac_trial_client_fk foreign key (client) references client (id)
);

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
