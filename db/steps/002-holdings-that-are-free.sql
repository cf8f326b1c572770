-- Expands: calls that share a transaction lock the holdings that nobody else has locked.
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
