-- Expands: what a dealer has sent to the box of a client ends when the client is moved to another.
create or replace function move_clients(moved bigint[], to_dealer bigint) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  update client set dealer = to_dealer where id = any (moved);
  update service set dealer = to_dealer where client = any (moved);
  update box_event set expiry = moment()
  where client = any (moved) and actor is not null and told is null and expiry > moment();
end $$;
