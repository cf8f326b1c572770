-- What there was on finished days and in finished months: figures of superresellers and branches, and sums of
-- transactions. A row is written once and never changed, whatever is moved, closed or deleted later, and removed only
-- if its day or month had not ended (`forget_days_ahead`). `verify` computes each again from the other tables.

-- Each superreseller's credits, and the accounts and clients beneath it, at the end of each day.

create table statistic (
  day date not null,
  superreseller bigint not null,
  credits bigint not null,
  resellers integer not null,
  dealers integer not null,
  clients integer not null,
  -- The moment at which the day ended. Later changes are counted from it, even after TIME_ZONE was changed.
  ended timestamptz not null,
  constraint statistic_pkey primary key (superreseller, day),
  constraint statistic_superreseller_fk foreign key (superreseller) references account (id)
);

create index statistic_day on statistic (day);

-- The clients beneath each superreseller and reseller at the end of each day, and the credits used beneath it during
-- the day, less those taken back.
create table branch_day (
  day date not null,
  account bigint not null,
  clients integer not null,
  used integer not null,
  ended timestamptz not null,
  constraint branch_day_pkey primary key (account, day),
  constraint branch_day_account_fk foreign key (account) references account (id)
);

create index branch_day_day on branch_day (day);

-- What the transactions that an account may see add up to by their type, for finished days with so many of them that
-- reading each would take long. Days begin and end by the TIME_ZONE in which they were finished.
create table busy_day (
  account bigint not null,
  began timestamptz not null,
  ended timestamptz not null,
  type text not null,
  transactions integer not null,
  credits bigint not null,
  constraint busy_day_pkey primary key (account, began, type),
  constraint busy_day_account_fk foreign key (account) references account (id)
);

create index busy_day_ended on busy_day (ended);

-- The same for each finished month of every account, of which most have few transactions a day, and many in the end.
-- Busy days are in the months too.
create table finished_month (
  account bigint not null,
  began timestamptz not null,
  ended timestamptz not null,
  type text not null,
  transactions integer not null,
  credits bigint not null,
  constraint finished_month_pkey primary key (account, began, type),
  constraint finished_month_account_fk foreign key (account) references account (id)
);

create index finished_month_ended on finished_month (ended);

-- Removes what was written of days and months that have not ended, which only a clock that was ahead took for finished.
-- Returns how many rows it removed.
create function forget_days_ahead() returns integer
  language sql volatile security definer set search_path = public, pg_temp as $$
  with
    totals as (delete from statistic where ended > (select moment()) returning 1),
    branches as (delete from branch_day where ended > (select moment()) returning 1),
    sums as (delete from busy_day where ended > (select moment()) returning 1),
    months as (delete from finished_month where ended > (select moment()) returning 1)
  select ((select count(*) from totals) + (select count(*) from branches) + (select count(*) from sums)
    + (select count(*) from months))::integer
$$;

-- Indexes for the changes since a moment, so that not all rows are read.
create index client_created on client (created);
create index client_deleted on client (deleted) where deleted is not null;
create index transfer_between_accounts on transfer (superreseller, created) where dealer is null;

-- How many accounts and clients came to each path, and when; negative where they left it. A move takes them from one
-- path to another. A closed account left the path of that day, and no later move of its parent counts it again. A
-- client came on the path of its first row in the ledger, and left on the path of its last one.
create view account_change as
  select a.created as at, a.role, coalesce(m.from_superreseller, a.superreseller) as superreseller, 1 as accounts
  from account a left join lateral (
    select from_superreseller from tree_move m where m.account = a.id order by m.id limit 1
  ) m on true
  where a.role in ('reseller', 'dealer')
  union all
  select m.created, a.role, side.superreseller, side.accounts
  from tree_move m join account a on a.id = m.account
  cross join lateral (values (m.from_superreseller, -1), (m.to_superreseller, 1)) side (superreseller, accounts)
  where a.closed is null or m.created < a.closed
  union all
  select a.closed, a.role, coalesce(m.from_superreseller, a.superreseller), -1
  from account a left join lateral (
    select from_superreseller from tree_move m where m.account = a.id and m.created >= a.closed order by m.id limit 1
  ) m on true
  where a.role in ('reseller', 'dealer') and a.closed is not null;

create view client_change as
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
