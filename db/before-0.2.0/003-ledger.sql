-- The ledger: double entry, appended only, kept by the database itself.
--
-- A holding is where credits are: the issue (which goes below zero by what the admin has issued), the balance of an
-- account, and what a dealer has consumed. A transfer moves credits from one holding to another. Nobody writes a
-- holding: inserting a transfer does, in the same statement, or the insert fails.

create table holding (
  id bigint generated always as identity primary key,
  account bigint not null references account (id),
  kind text not null check (kind in ('issue', 'balance', 'consumed')),
  balance bigint not null default 0,
  unique (account, kind),
  constraint never_negative check (balance >= 0 or kind = 'issue')
) with (fillfactor = 50);

create table transfer (
  id bigint generated always as identity primary key,
  created timestamptz not null,
  type text not null check (type in ('ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE')),
  credits integer not null,
  source bigint references holding (id),
  destination bigint references holding (id),
  -- The two balances as this transfer left them, so that each holding's rows are a chain without a gap.
  source_balance bigint,
  destination_balance bigint,
  -- The path to the account that the transfer concerns; above it, it is seen by all on the path.
  superreseller bigint not null references account (id),
  reseller bigint references account (id),
  dealer bigint references account (id),
  client bigint references client (id),
  actor bigint not null references account (id),
  -- As they were when the row was written, so that history survives a delete.
  login text not null,
  mac text,
  description text not null,
  expiry timestamptz,
  -- Of USED: the expiry before, and the calendar day from which the months were counted.
  expiry_before timestamptz,
  counted_from date,
  check (
    case
      when type in ('TRIAL', 'DELETE') then
        credits = 0 and source is null and destination is null and source_balance is null and destination_balance is null
      else
        credits > 0 and source is not null and destination is not null and source <> destination
        and source_balance is not null and destination_balance is not null
    end
  ),
  check (type in ('ADD', 'REMOVE') or (client is not null and dealer is not null and expiry is not null)),
  check ((type = 'USED') = (counted_from is not null and expiry_before is not null)),
  check (dealer is null or reseller is not null)
);

create index transfer_created on transfer (created);
create index transfer_superreseller on transfer (superreseller, created);
create index transfer_reseller on transfer (reseller, created) where reseller is not null;
create index transfer_dealer on transfer (dealer, created) where dealer is not null;
create index transfer_client on transfer (client, id) where client is not null;
create index transfer_trial on transfer (mac, created) where type = 'TRIAL';

-- Locks holdings in the order of their ids, so that two transfers never wait for each other in a circle.
-- The server may lock a holding, which it must not write, only through this.
create function lock_holdings(ids bigint[]) returns table (id bigint, balance bigint)
  language sql volatile security definer set search_path = public, pg_temp
  as $$ select h.id, h.balance from holding h where h.id = any (ids) order by h.id for update $$;

create function post_transfers() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
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

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are only ever appended', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create trigger appended_only before update or delete or truncate on transfer
  for each statement execute function refuse_change();
create trigger appended_only before update or delete or truncate on audit
  for each statement execute function refuse_change();

-- An account is born with its holdings; the server cannot make or change one.
create function open_holdings() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into holding (account, kind) values (new.id, case new.role when 'admin' then 'issue' else 'balance' end);
  if new.role = 'dealer' then
    insert into holding (account, kind) values (new.id, 'consumed');
  end if;
  return null;
end $$;

create trigger open_holdings after insert on account for each row execute function open_holdings();
