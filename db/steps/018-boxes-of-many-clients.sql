-- Expands: what many clients' boxes are told of a change is written at once, and not client by client.
drop trigger if exists log_changed_client on client;
drop function if exists log_changed_client();

create function log_changed_clients() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Not joined: the plan is kept, and one that was made for a single client takes long for a thousand.
  insert into box_change (client) select id from (
    select id, dealer, mac, ministra, alt_player, active, locked, package_selection, deleted from changed
    except
    select id, dealer, mac, ministra, alt_player, active, locked, package_selection, deleted from replaced
  ) as other;
  return null;
end $$;

create trigger log_changed_clients after update on client
  referencing old table as replaced new table as changed for each statement execute function log_changed_clients();

create or replace function tell_of_channels() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_event (client, event, created, expiry)
  select d.client, 'update_channels', moment(), moment() + interval '240 seconds' from (
    select id, package_selection, alt_player from changed
    except
    select id, package_selection, alt_player from replaced
  ) as other join device d on d.client = other.id;
  return null;
end $$;

drop trigger tell_of_channels on client;

create trigger tell_of_channels after update on client
  referencing old table as replaced new table as changed for each statement execute function tell_of_channels();
