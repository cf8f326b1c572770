-- Expands: the ids of channels and groups that a playlist has no more are kept up to a number.
create or replace function remove_outdated(name text, before timestamptz, most integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  removed integer;
begin
  case name
    when 'export_ticket' then
      delete from export_ticket where ticket_hash = any (
        array(select ticket_hash from export_ticket where expiry <= before limit most));
    when 'session' then
      delete from session where token_hash = any (
        array(select token_hash from session where expiry <= before limit most));
    when 'login_try' then
      delete from login_try where id = any (array(select id from login_try where tried <= before limit most));
    when 'captcha_used' then
      delete from captcha_used where solution_hash = any (
        array(select solution_hash from captcha_used where expiry <= before limit most));
    when 'idempotency_key' then
      delete from idempotency_key where ctid = any (
        array(select ctid from idempotency_key where created <= before limit most));
    when 'sign_in' then
      delete from sign_in where id = any (array(select id from sign_in where at <= before limit most));
    when 'device_history' then
      delete from device_history where id = any (array(select id from device_history where at <= before limit most));
    when 'channel' then
      -- Those seen long ago, and all but the newest 300,000; none that was seen last.
      delete from channel where id = any (array(
        select id from channel
        where seen < (select max(seen) from channel) and seen <= greatest(
          least(before, (select max(seen) from channel) - interval '2 days'),
          (select seen from channel order by seen desc offset 300000 limit 1))
        limit most));
    when 'channel_group' then
      -- Of those that the playlist in use does not have, all but 20,000: those whose packages were chosen, and the newest.
      delete from channel_group where id = any (array(
        select id from channel_group where channels = 0
        order by packages <> '{1,7}' desc, id desc offset 20000 limit most));
    when 'box_login' then
      delete from box_login where id = any (array(select id from box_login where tried <= before limit most));
    when 'unknown_box' then
      -- Those that asked long ago, and all but the newest 10,000.
      delete from unknown_box where mac = any (
        array(
          select mac from unknown_box
          where asked <= greatest(before, (select asked from unknown_box order by asked desc offset 10000 limit 1))
          limit most));
    when 'box_count' then
      delete from box_count where at <= before;
    when 'box_event' then
      delete from box_event where id = any (array(select id from box_event where expiry <= before limit most));
    when 'box_change' then
      delete from box_change where ctid = any (array(select ctid from box_change where at <= before limit most));
    when 'server_process' then
      delete from server_process where id = any (array(select id from server_process where seen <= before limit most));
    when 'audit' then
      update audit set address = null where id = any (
        array(select id from audit where at <= before and address is not null limit most));
  end case;
  get diagnostics removed = row_count;
  return removed;
end $$;
