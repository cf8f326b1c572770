-- Expands: a change of a client that tells its box nothing looks at no box.

-- With another package a box has other channels, and with another player their addresses differ.
create or replace function tell_of_channels() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  others bigint[] := array(
    select id from (
      select id, package_selection, alt_player from changed
      except
      select id, package_selection, alt_player from replaced
    ) as other
  );
begin
  -- Most changes of clients are none of these, and have nothing to do with the events.
  if others <> '{}' then
    insert into box_event (client, event, created, expiry)
    select client, 'update_channels', moment(), moment() + interval '240 seconds' from device where client = any (others);
  end if;
  return null;
end $$;
