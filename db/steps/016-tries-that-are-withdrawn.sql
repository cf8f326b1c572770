-- Expands: a login whose password was not checked after all can be taken back.
create function withdraw_try(of_try bigint) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from login_try where id = of_try and succeeded is null $$;
