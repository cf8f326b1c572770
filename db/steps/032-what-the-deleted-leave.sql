-- Expands: a deleted client leaves no favourites, phone number and description, and a closed account no password.
create or replace function end_services() returns trigger
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
    delete from favourite where client = any (gone);
    delete from stream_use where client = any (gone);
  end if;
  return null;
end $$;

delete from favourite f where exists (select from client c where c.id = f.client and c.deleted is not null);
delete from stream_use u where exists (select from client c where c.id = u.client and c.deleted is not null);
update client set phone = '', description = '' where deleted is not null and (phone <> '' or description <> '');
update account set password = '' where closed is not null and password <> '';
