-- Expands: what ends with deleted clients is removed at once, and not client by client.
drop trigger if exists end_service on client;
drop function if exists end_service();

create function end_services() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone bigint[] := array(
    select id from changed where deleted is not null except select id from replaced where deleted is not null
  );
begin
  -- Most changes of clients delete none.
  if gone <> '{}' then
    delete from service where client = any (gone);
    delete from device where client = any (gone);
    delete from presence where client = any (gone);
    delete from box_event where client = any (gone);
    delete from reminder where client = any (gone);
  end if;
  return null;
end $$;

create trigger end_services after update on client
  referencing old table as replaced new table as changed for each statement execute function end_services();
