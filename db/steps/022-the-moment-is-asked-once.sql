-- Expands: what a clock that was ahead has left is found without asking for the moment for each row.
create or replace function forget_days_ahead() returns integer
  language sql volatile security definer set search_path = public, pg_temp as $$
  with
    totals as (delete from statistic where ended > (select moment()) returning 1),
    branches as (delete from branch_day where ended > (select moment()) returning 1),
    sums as (delete from busy_day where ended > (select moment()) returning 1)
  select ((select count(*) from totals) + (select count(*) from branches) + (select count(*) from sums))::integer
$$;
