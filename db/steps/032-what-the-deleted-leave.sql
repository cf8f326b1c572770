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
    -- Not in the statement that deletes: here the directory has no row of them any more, which would follow.
    update client set phone = '', description = '' where id = any (gone) and (phone <> '' or description <> '');
  end if;
  return null;
end $$;

-- Here and not in the server, because servers of the version before may run beside this one.
create function forget_password() returns trigger language plpgsql as $$
begin
  new.password := '';
  return new;
end $$;

create trigger forget_password before update of closed on account for each row
  when (old.closed is null and new.closed is not null) execute function forget_password();

delete from favourite f where exists (select from client c where c.id = f.client and c.deleted is not null);
delete from stream_use u where exists (select from client c where c.id = u.client and c.deleted is not null);
update client set phone = '', description = '' where deleted is not null and (phone <> '' or description <> '');
update account set password = '' where closed is not null and password <> '';
