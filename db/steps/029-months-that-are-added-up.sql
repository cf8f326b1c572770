-- Expands: what the transactions of every finished month add up to is kept, whether or not its days were busy.
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

create or replace function forget_days_ahead() returns integer
  language sql volatile security definer set search_path = public, pg_temp as $$
  with
    totals as (delete from statistic where ended > (select moment()) returning 1),
    branches as (delete from branch_day where ended > (select moment()) returning 1),
    sums as (delete from busy_day where ended > (select moment()) returning 1),
    months as (delete from finished_month where ended > (select moment()) returning 1)
  select ((select count(*) from totals) + (select count(*) from branches) + (select count(*) from sums)
    + (select count(*) from months))::integer
$$;
