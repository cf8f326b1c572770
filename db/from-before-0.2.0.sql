-- Brings a database from the schema before 0.2.0 (the files in before-0.2.0/) to the schema of 0.2.0. What came later is
-- a numbered step in steps/. Its tables and functions are explained in the files of the present schema.
--
-- No statement here ever changes: `server/postgres/schema.test.ts` compares what this file and the steps lead to with
-- what the files of the present schema make.

drop table migration;

create table setup (
  key text,
  value text not null,
  constraint setup_pkey primary key (key)
);

-- Constraints get the names that they have in the present schema.
alter table account rename constraint account_check to account_parent_check;
alter table account rename constraint account_check1 to account_path_check;
alter table account rename constraint account_parent_parent_role_fkey to account_parent_fk;
alter table audit rename constraint audit_account_fkey to audit_account_fk;
alter table client rename constraint client_check to client_living_check;
alter table client rename constraint client_dealer_dealer_role_fkey to client_dealer_fk;
alter table device rename constraint device_client_fkey to device_client_fk;
alter table directory rename constraint directory_client_fkey to directory_client_fk;
alter table holding rename constraint holding_account_fkey to holding_account_fk;
alter table holding rename constraint never_negative to holding_balance_check;
alter table service rename constraint service_client_fkey to service_client_fk;
alter table session rename constraint session_account_fkey to session_account_fk;
alter table statistic rename constraint statistic_superreseller_fkey to statistic_superreseller_fk;
alter table transfer rename constraint transfer_check2 to transfer_counted_check;
alter table transfer rename constraint transfer_check3 to transfer_path_check;
alter table transfer drop constraint transfer_source_fkey;
alter table transfer drop constraint transfer_destination_fkey;
alter table transfer drop constraint transfer_superreseller_fkey;
alter table transfer drop constraint transfer_reseller_fkey;
alter table transfer drop constraint transfer_dealer_fkey;
alter table transfer drop constraint transfer_client_fkey;
alter table transfer drop constraint transfer_actor_fkey;

alter index account_name rename to account_name_key;
alter index one_admin rename to account_admin_key;
alter index client_name rename to client_name_key;
alter index client_mac rename to client_mac_key;

alter table account add constraint account_id_superreseller_key unique (id, superreseller);
alter table account add constraint account_path_fk foreign key (reseller, superreseller)
  references account (id, superreseller) on update cascade;

alter table transfer drop constraint transfer_check, drop constraint transfer_check1;
alter table transfer
  add constraint transfer_credits_check check (
    case
      when type in ('TRIAL', 'DELETE') or (type = 'MOVE' and credits = 0)
        then credits = 0 and source is null and destination is null
      else credits > 0 and (source <> destination) is true
    end
  ),
  add constraint transfer_client_check check (
    case when type in ('ADD', 'REMOVE') then client is null else num_nonnulls(client, dealer, expiry) = 3 end
  );

alter table transfer add from_superreseller bigint, add from_reseller bigint, add from_dealer bigint,
  drop constraint transfer_type_check,
  add constraint transfer_type_check
    check (type in ('ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE', 'MOVE')),
  add constraint transfer_from_check check (
    case type
      when 'MOVE' then num_nonnulls(from_superreseller, from_reseller, from_dealer) = 3 and from_dealer <> dealer
      else num_nonnulls(from_superreseller, from_reseller, from_dealer) = 0
    end
  );
create index transfer_from_superreseller on transfer (from_superreseller, created) where from_superreseller is not null;
create index transfer_from_reseller on transfer (from_reseller, created) where from_reseller is not null;
create index transfer_from_dealer on transfer (from_dealer, created) where from_dealer is not null;
create index transfer_moved on transfer (dealer, created) where type = 'MOVE';

create or replace function post_transfers() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  movement record;
  concerned record;
  moved integer;
begin
  for movement in
    select type, source, destination, superreseller, reseller, dealer, from_superreseller, from_reseller, from_dealer,
      actor, sum(credits)::bigint as credits,
      (array_agg(source_balance order by id desc))[1] as source_balance,
      (array_agg(destination_balance order by id desc))[1] as destination_balance
    from posted group by type, source, destination, superreseller, reseller, dealer, from_superreseller, from_reseller,
      from_dealer, actor
  loop
    select a.id, a.parent, a.role, a.superreseller, a.reseller, s.kind as source, s.account as giver,
      d.kind as destination, d.account as receiver
    into concerned
    from account a left join holding s on s.id = movement.source left join holding d on d.id = movement.destination
    where a.id = coalesce(movement.dealer, movement.reseller, movement.superreseller);
    if (case concerned.role
      when 'dealer' then movement.superreseller = concerned.superreseller and movement.reseller = concerned.reseller
      when 'reseller' then movement.superreseller = concerned.superreseller
      when 'superreseller' then true
    end) is not true then
      raise exception 'a transfer does not lie on the path of the account that it concerns'
        using errcode = 'foreign_key_violation';
    end if;
    if movement.actor <> concerned.id and movement.actor <> concerned.parent then
      perform from account where id = movement.actor;
      if not found then
        raise exception 'a transfer names nobody who acted' using errcode = 'foreign_key_violation';
      end if;
    end if;
    if movement.type = 'MOVE' then
      perform from account where id = movement.from_dealer and role = 'dealer'
        and reseller = movement.from_reseller and superreseller = movement.from_superreseller;
      if not found then
        raise exception 'a client does not come from the path of its old dealer' using errcode = 'foreign_key_violation';
      end if;
    end if;
    continue when movement.source is null;

    if concerned.giver is null or concerned.receiver is null then
      raise exception 'a transfer names a holding that is not there' using errcode = 'foreign_key_violation';
    end if;
    if (case movement.type
      when 'ADD' then concerned.source = 'consumed' or concerned.destination <> 'balance'
        or concerned.giver <> concerned.parent or concerned.receiver <> concerned.id
      when 'REMOVE' then concerned.source <> 'balance' or concerned.destination = 'consumed'
        or concerned.giver <> concerned.id or concerned.receiver <> concerned.parent
      when 'USED' then concerned.source <> 'balance' or concerned.destination <> 'consumed'
        or concerned.giver <> concerned.id or concerned.receiver <> concerned.id
      when 'RETRIEVED' then concerned.source <> 'consumed' or concerned.destination <> 'balance'
        or concerned.giver <> concerned.id or concerned.receiver <> concerned.id
      when 'MOVE' then concerned.source <> 'consumed' or concerned.destination <> 'consumed'
        or concerned.giver <> movement.from_dealer or concerned.receiver <> concerned.id
    end) is not false then
      raise exception 'a transfer joins two holdings that none of its type does'
        using errcode = 'integrity_constraint_violation';
    end if;
    update holding set balance = case id when movement.source then movement.source_balance else movement.destination_balance end
    where id in (movement.source, movement.destination) and balance = case id
      when movement.source then movement.source_balance + movement.credits
      else movement.destination_balance - movement.credits
    end;
    get diagnostics moved = row_count;
    if moved <> 2 then
      raise exception 'a transfer states a balance that its holding does not have'
        using errcode = 'integrity_constraint_violation';
    end if;
  end loop;

  if exists (
    select from posted left join client on client.id = posted.client and client.dealer = posted.dealer
    where posted.client is not null and client.id is null
  ) then
    raise exception 'a transfer concerns a client that its dealer does not have' using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;

-- Tickets of the old schema have no session. They are dropped, because a ticket is valid for a minute only.
drop table export_ticket;
create table export_ticket (
  ticket_hash bytea,
  session bytea not null,
  kind text not null,
  selection jsonb not null,
  expiry timestamptz not null,
  constraint export_ticket_pkey primary key (ticket_hash),
  constraint export_ticket_ticket_hash_check check (length(ticket_hash) = 32),
  constraint export_ticket_kind_check check (kind in ('clients', 'transactions')),
  constraint export_ticket_session_fk foreign key (session) references session (token_hash) on delete cascade
);
create index export_ticket_session on export_ticket (session);

-- 'Answer' is now only what the server sends back to a call, so a table and a column get other names.
alter table answer rename to idempotency_key;
alter table idempotency_key rename constraint answer_pkey to idempotency_key_pkey;
alter table idempotency_key rename constraint answer_key_check to idempotency_key_key_check;
alter table idempotency_key rename constraint answer_account_fkey to idempotency_key_account_fk;
alter index answer_created rename to idempotency_key_created;
alter table captcha_used rename answer_hash to solution_hash;
alter table captcha_used drop constraint captcha_used_pkey, add constraint captcha_used_pkey primary key (solution_hash);
alter table captcha_used rename constraint captcha_used_answer_hash_check to captcha_used_solution_hash_check;
-- PostgreSQL gives constraints of NOT NULL a name from 18 on.
do $$ begin
  if current_setting('server_version_num')::int >= 180000 then
    alter table idempotency_key rename constraint answer_account_not_null to idempotency_key_account_not_null;
    alter table idempotency_key rename constraint answer_call_not_null to idempotency_key_call_not_null;
    alter table idempotency_key rename constraint answer_key_not_null to idempotency_key_key_not_null;
    alter table idempotency_key rename constraint answer_body_hmac_not_null to idempotency_key_body_hmac_not_null;
    alter table idempotency_key rename constraint answer_created_not_null to idempotency_key_created_not_null;
    alter table captcha_used rename constraint captcha_used_answer_hash_not_null to captcha_used_solution_hash_not_null;
  end if;
end $$;

-- Keys are stored with the name of the call instead of its path. A client may still repeat a call under an old key.
update idempotency_key set call = named.name
from (
  values
    ('POST /changepassword', 'session.password'),
    ('POST /admin/savesettings', 'desk.admin.saveSettings'),
    ('POST /superreseller/savesettings', 'desk.superreseller.saveSettings'),
    ('POST /reseller/savesettings', 'desk.reseller.saveSettings'),
    ('POST /api/savesettings', 'desk.dealer.saveSettings'),
    ('POST /admin/superreseller', 'level.superreseller.create'),
    ('POST /admin/save', 'level.superreseller.save'),
    ('POST /admin/changepassword', 'level.superreseller.changePassword'),
    ('POST /superreseller/reseller', 'level.reseller.create'),
    ('POST /superreseller/save', 'level.reseller.save'),
    ('POST /superreseller/changepassword', 'level.reseller.changePassword'),
    ('POST /reseller/dealer', 'level.dealer.create'),
    ('POST /reseller/save', 'level.dealer.save'),
    ('POST /reseller/changepassword', 'level.dealer.changePassword'),
    ('POST /api/client', 'clients.create'),
    ('POST /api/saveclient', 'clients.save'),
    ('POST /api/renew', 'clients.renew'),
    ('POST /api/multirenew', 'clients.multirenew'),
    ('POST /api/retrieve', 'clients.retrieve'),
    ('POST /api/remove', 'clients.remove'),
    ('POST /api/resetclient', 'clients.reset'),
    ('POST /admin/remove', 'admin.remove'),
    ('POST /admin/message', 'admin.setMessage'),
    ('DELETE /admin/message', 'admin.removeMessage')
) as named (address, name)
where idempotency_key.call = named.address;

alter function list_service() rename to copy_service_to_directory;
alter trigger list_service on service rename to copy_service_to_directory;
alter function list_client() rename to copy_client_to_directory;
alter trigger list_client on client rename to copy_client_to_directory;
create or replace function copy_service_to_directory() returns trigger
  language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
begin
  case tg_op
    when 'INSERT' then
      insert into directory (client, dealer, expiry, active, name, text)
      select new.client, new.dealer, new.expiry, c.active, lower(new.name),
        search_text(c.name, c.description, c.mac, c.phone)
      from client c where c.id = new.client;
    when 'DELETE' then
      delete from directory where client = old.client;
    else
      update directory set dealer = new.dealer, expiry = new.expiry where client = new.client;
  end case;
  return null;
end $$;

drop function derive_services();
drop function count_services() cascade;
drop function count_clients(bigint[], timestamptz[], integer[]);
drop function forget_empty_counts(timestamptz);

create table settled_count (
  account bigint not null,
  expiry timestamptz not null,
  clients integer not null,
  constraint settled_count_pkey primary key (account, expiry),
  constraint settled_count_account_fk foreign key (account) references account (id)
) with (fillfactor = 50);

create table count_change (
  dealer bigint not null,
  superreseller bigint not null,
  expiry timestamptz not null,
  clients integer not null
);

create view client_count as
  select account, expiry, clients from settled_count
  union all
  select dealer, expiry, clients from count_change
  union all
  select superreseller, expiry, clients from count_change;

insert into settled_count (account, expiry, clients)
select dealer, expiry, clients from dealer_clients
union all
select superreseller, expiry, clients from superreseller_clients;
drop table dealer_clients, superreseller_clients;

create function keep_counts() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  case tg_op
    when 'INSERT' then
      insert into count_change (dealer, superreseller, expiry, clients)
      select d.id, d.superreseller, s.expiry, count(*) from added s join account d on d.id = s.dealer group by 1, 2, 3;
    when 'DELETE' then
      insert into count_change (dealer, superreseller, expiry, clients)
      select d.id, d.superreseller, s.expiry, -count(*) from removed s join account d on d.id = s.dealer group by 1, 2, 3;
    else
      insert into count_change (dealer, superreseller, expiry, clients)
      select d.id, d.superreseller, s.expiry, sum(s.count)
      from (select dealer, expiry, 1 as count from added union all select dealer, expiry, -1 from removed) s
      join account d on d.id = s.dealer group by 1, 2, 3 having sum(s.count) <> 0;
  end case;
  return null;
end $$;

create trigger keep_counts_at_insert after insert on service
  referencing new table as added for each statement execute function keep_counts();
create trigger keep_counts_at_update after update on service
  referencing old table as removed new table as added for each statement execute function keep_counts();
create trigger keep_counts_at_delete after delete on service
  referencing old table as removed for each statement execute function keep_counts();

create function rebuild_lists() returns void
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  truncate settled_count, count_change, directory;
  insert into settled_count (account, expiry, clients)
  select unnest(array[d.id, d.superreseller]), s.expiry, sum(s.clients)
  from (select dealer, expiry, count(*) as clients from service group by dealer, expiry) s
  join account d on d.id = s.dealer group by 1, 2;
  insert into directory (client, dealer, expiry, active, name, text)
  select s.client, s.dealer, s.expiry, c.active, lower(s.name), search_text(c.name, c.description, c.mac, c.phone)
  from service s join client c on c.id = s.client order by s.client;
end $$;

create function settle_counts(most integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  settled integer;
begin
  with taken as (
    delete from count_change where ctid = any (array(select ctid from count_change limit most))
    returning dealer, superreseller, expiry, clients
  ),
  added as (
    insert into settled_count as kept (account, expiry, clients)
    select account, expiry, sum(clients) from (
      select dealer as account, expiry, clients from taken
      union all
      select superreseller, expiry, clients from taken
    ) change
    group by 1, 2 having sum(clients) <> 0 order by 1, 2
    on conflict (account, expiry) do update set clients = kept.clients + excluded.clients
  )
  select count(*) into settled from taken;
  return settled;
end $$;

create function forget_empty_counts(before timestamptz) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from settled_count where clients = 0 and expiry < before $$;

create table mac_trial (
  mac text,
  client bigint,
  created timestamptz,
  constraint mac_trial_pkey primary key (mac, client, created),
  constraint mac_trial_mac_check check (mac ~ '^00:1A:79(:[0-9A-F]{2}){3}$'),
  constraint mac_trial_client_fk foreign key (client) references client (id)
);

create trigger appended_only before update or delete or truncate on mac_trial
  for each statement execute function refuse_change();

-- Phone numbers from abroad may now begin with '+'. Numbers that were stored without it stay as they are.
alter table client drop constraint client_phone_check,
  add constraint client_phone_check check (phone ~ '^([0-9]{0,15}|[+][0-9]{4,15})$');

create function moment() returns timestamptz language plpgsql stable set search_path = public, pg_temp as $$
declare
  played text := current_setting('boxtree.moment', true);
begin
  if played <> '' and exists (select from setup where key = 'clock' and value = 'played') then
    return played::timestamptz;
  end if;
  return date_trunc('milliseconds', now());
end $$;

alter table audit alter at set default moment();
alter table transfer alter created set default moment();
alter table mac_trial alter created set default moment();

create function end_service() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from service where client = new.id;
  delete from device where client = new.id;
  delete from presence where client = new.id;
  delete from box_event where client = new.id;
  delete from reminder where client = new.id;
  return null;
end $$;

create trigger end_service after update of deleted on client for each row
  when (old.deleted is null and new.deleted is not null) execute function end_service();

create function end_session(hash bytea) returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$ with ended as (delete from session where token_hash = hash returning true) select exists (select from ended) $$;

create function end_sessions(of_account bigint, but bytea default null) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from session where account = of_account and token_hash is distinct from but $$;

create function remove_tickets(of_session bytea) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from export_ticket where session = of_session $$;

create function redeem_ticket(hash bytea, now timestamptz)
  returns table (owner bigint, session bytea, kind text, selection jsonb)
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    delete from export_ticket t using session s
    where s.token_hash = t.session and t.ticket_hash = hash and t.expiry > now and s.expiry > now
    returning s.account, t.session, t.kind, t.selection
  $$;

create function remove_broadcast() returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$ with removed as (delete from broadcast returning true) select exists (select from removed) $$;

create function remove_outdated(name text, before timestamptz, most integer) returns integer
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
      delete from channel where id = any (array(
        select id from channel
        where seen <= least(before, (select max(seen) from channel) - interval '2 days') limit most));
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

create function refuse_removal() returns trigger language plpgsql as $$
begin
  raise exception '% rows stay for good, because the ledger names them', tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

create trigger stays before delete or truncate on account for each statement execute function refuse_removal();

create trigger stays before delete or truncate on client for each statement execute function refuse_removal();

create trigger stays before delete or truncate on holding for each statement execute function refuse_removal();

create function claim_key(of_account bigint, of_call text, of_key text, since timestamptz)
  returns table (body_hmac bytea, reply jsonb)
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(' ', of_account, of_call, of_key), 0));
  return query select k.body_hmac, k.reply from idempotency_key k
    where k.account = of_account and k.call = of_call and k.key = of_key and k.created > since;
end $$;

create function hold_session(hash bytea, now timestamptz) returns void
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  perform from session where token_hash = hash and expiry > now for key share;
  if not found then raise exception 'the session has ended' using errcode = 'BX401'; end if;
end $$;

-- A key is written together with its reply: those of the old schema that have none belong to calls that never ended.
delete from idempotency_key where reply is null;
alter table idempotency_key alter reply set not null;

drop function lock_holdings(bigint[]);
create function lock_holdings(ids bigint[])
  returns table (id bigint, kind text, balance bigint, account bigint, role text, superreseller bigint, reseller bigint,
    closed boolean)
  language plpgsql volatile rows 2 security definer set search_path = public, pg_temp as $$
begin
  perform from holding h where h.id = any (ids) order by h.id for update;
  return query
    select h.id, h.kind, h.balance, a.id, a.role, a.superreseller, a.reseller, a.closed is not null
    from holding h join account a on a.id = h.account where h.id = any (ids);
end $$;

alter table account add preferences jsonb not null default '{}',
  add constraint account_preferences_check check (octet_length(preferences::text) <= 32768);

create table reminder (
  client bigint,
  account bigint not null,
  reminded timestamptz not null,
  constraint reminder_pkey primary key (client),
  constraint reminder_client_fk foreign key (client) references client (id),
  constraint reminder_account_fk foreign key (account) references account (id)
);

create function forget_reminder(of_client bigint) returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    with forgotten as (delete from reminder where client = of_client returning true)
    select exists (select from forgotten)
  $$;

create table suspension (
  id bigint generated always as identity,
  account bigint not null,
  actor bigint not null,
  reason text not null,
  service_too boolean not null,
  created timestamptz not null,
  lifted timestamptz,
  lifted_by bigint,
  constraint suspension_pkey primary key (id),
  constraint suspension_reason_check check (length(reason) <= 200),
  constraint suspension_lifted_check check ((lifted is null) = (lifted_by is null)),
  constraint suspension_account_fk foreign key (account) references account (id),
  constraint suspension_actor_fk foreign key (actor) references account (id),
  constraint suspension_lifted_by_fk foreign key (lifted_by) references account (id)
);

create unique index suspension_account_key on suspension (account) where lifted is null;

create function is_suspended(of_account bigint) returns boolean
  language sql stable
  return exists (
    select from account a join suspension s on s.account in (a.id, a.reseller, a.superreseller)
    where a.id = of_account and s.lifted is null);

create function end_sessions_beneath(of_account bigint) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    delete from session s using account a
    where a.id = s.account and of_account in (a.id, a.reseller, a.superreseller)
  $$;

alter table account add low_own integer, add low_by_parent integer,
  add constraint account_low_check check (low_own between 1 and 1000000 and low_by_parent between 1 and 1000000);

create table credit_request (
  id bigint generated always as identity,
  account bigint not null,
  credits integer not null,
  note text not null,
  created timestamptz not null,
  state text not null default 'open',
  granted integer,
  answer text not null default '',
  answered timestamptz,
  constraint credit_request_pkey primary key (id),
  constraint credit_request_credits_check check (credits between 1 and 10000),
  constraint credit_request_note_check check (length(note) <= 200 and length(answer) <= 200),
  constraint credit_request_state_check check (state in ('open', 'granted', 'declined', 'withdrawn')),
  constraint credit_request_answered_check check ((state = 'open') = (answered is null)),
  constraint credit_request_granted_check check (
    case state when 'granted' then granted between 1 and credits else granted is null end
  ),
  constraint credit_request_account_fk foreign key (account) references account (id)
);

create unique index credit_request_open_key on credit_request (account) where state = 'open';
create index credit_request_account on credit_request (account, id);

alter table session add id bigint generated always as identity, add address text, add agent text not null default '',
  add constraint session_id_key unique (id);

create table sign_in (
  id bigint generated always as identity,
  account bigint not null,
  at timestamptz not null,
  address text not null,
  agent text not null,
  outcome text not null,
  constraint sign_in_pkey primary key (id),
  constraint sign_in_outcome_check check (outcome in ('succeeded', 'failed', 'suspended')),
  constraint sign_in_account_fk foreign key (account) references account (id)
);

create index sign_in_account on sign_in (account, at);
create index sign_in_at on sign_in (at);

create function end_session_of(of_account bigint, which bigint) returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    with ended as (delete from session where account = of_account and id = which returning true)
    select exists (select from ended)
  $$;

create index audit_address on audit (at) where address is not null;
drop trigger appended_only on audit;
create trigger appended_only before delete or truncate on audit
  for each statement execute function refuse_change();

create function keep_audit() returns trigger language plpgsql as $$
begin
  if new.address is null
    and (new.id, new.at, new.event, new.account, new.detail) is not distinct from (old.id, old.at, old.event, old.account, old.detail)
  then
    return new;
  end if;
  raise exception 'audit rows are only ever appended' using errcode = 'insufficient_privilege';
end $$;

create trigger keep_audit before update on audit for each row execute function keep_audit();

create table branch_day (
  day date not null,
  account bigint not null,
  clients integer not null,
  used integer not null,
  ended timestamptz not null,
  constraint branch_day_pkey primary key (account, day),
  constraint branch_day_account_fk foreign key (account) references account (id)
);

create index branch_day_day on branch_day (day);

alter table account add closed timestamptz,
  add constraint account_closed_check check (closed is null or (role <> 'admin' and preferences = '{}'));

create table tree_move (
  id bigint generated always as identity,
  created timestamptz not null default moment(),
  account bigint not null,
  actor bigint not null,
  -- The last row of the ledger before the move. The rows of this account up to it lie on the path before.
  last_transfer bigint not null,
  from_superreseller bigint not null,
  from_reseller bigint,
  to_superreseller bigint not null,
  to_reseller bigint,
  -- The clients that a dealer had then.
  clients integer not null,
  constraint tree_move_pkey primary key (id),
  constraint tree_move_path_check check (
    (from_superreseller, from_reseller) is distinct from (to_superreseller, to_reseller)
  ),
  constraint tree_move_account_fk foreign key (account) references account (id),
  constraint tree_move_actor_fk foreign key (actor) references account (id)
);

create index tree_move_account on tree_move (account, id);

create trigger appended_only before update or delete or truncate on tree_move
  for each statement execute function refuse_change();

create function move_account(moved bigint, new_parent bigint, by_actor bigint) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  above account;
  new_superreseller bigint;
begin
  -- Twice, because a dealer may have been created while the first statement waited. Once the moved account is locked, it
  -- creates no more.
  for times in 1..2 loop
    perform from holding h where h.account in (select a.id from account a where moved in (a.id, a.parent))
      order by h.id for update;
  end loop;
  perform from account a where moved in (a.id, a.parent) order by a.role, a.id for update;
  select * into strict above from account where id = new_parent;
  new_superreseller := coalesce(above.superreseller, above.id);

  insert into tree_move (account, actor, last_transfer, from_superreseller, from_reseller, to_superreseller, to_reseller,
    clients)
  select a.id, by_actor, (select coalesce(max(id), 0) from transfer), a.superreseller, a.reseller, new_superreseller,
    case when a.id <> moved then moved when above.role = 'reseller' then above.id end,
    (select coalesce(sum(k.clients), 0) from client_count k where k.account = a.id)
  from account a where moved in (a.id, a.parent) order by a.id;

  insert into count_change (dealer, superreseller, expiry, clients)
  select a.id, side.superreseller, k.expiry, side.sign * sum(k.clients)
  from account a join client_count k on k.account = a.id
  cross join lateral (values (a.superreseller, -1), (new_superreseller, 1)) side (superreseller, sign)
  where moved in (a.id, a.parent) and a.superreseller <> new_superreseller
  group by a.id, side.superreseller, k.expiry, side.sign having sum(k.clients) <> 0;

  -- The dealers of a reseller follow by their foreign key. The parent before had set when its balance is low.
  update account set parent = new_parent, superreseller = new_superreseller,
    reseller = case above.role when 'reseller' then above.id end, low_by_parent = null
  where id = moved;
end $$;

create function move_clients(moved bigint[], to_dealer bigint) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  update client set dealer = to_dealer where id = any (moved);
  update service set dealer = to_dealer where client = any (moved);
end $$;

create view account_change as
  select a.created as at, a.role, coalesce(m.from_superreseller, a.superreseller) as superreseller, 1 as accounts
  from account a left join lateral (
    select from_superreseller from tree_move m where m.account = a.id order by m.id limit 1
  ) m on true
  where a.role in ('reseller', 'dealer')
  union all
  select m.created, a.role, side.superreseller, side.accounts
  from tree_move m join account a on a.id = m.account
  cross join lateral (values (m.from_superreseller, -1), (m.to_superreseller, 1)) side (superreseller, accounts)
  where a.closed is null or m.created < a.closed
  union all
  select a.closed, a.role, coalesce(m.from_superreseller, a.superreseller), -1
  from account a left join lateral (
    select from_superreseller from tree_move m where m.account = a.id and m.created >= a.closed order by m.id limit 1
  ) m on true
  where a.role in ('reseller', 'dealer') and a.closed is not null;

create view client_change as
  select c.created as at, coalesce(born.superreseller, d.superreseller) as superreseller,
    coalesce(born.reseller, d.reseller) as reseller, 1 as clients
  from client c join account d on d.id = c.dealer left join lateral (
    select coalesce(t.from_superreseller, t.superreseller) as superreseller, coalesce(t.from_reseller, t.reseller) as reseller
    from transfer t where t.client = c.id and (
      c.dealer in (select account from tree_move) or c.id in (select client from transfer where type = 'MOVE')
    )
    order by t.id limit 1
  ) born on true
  union all
  select c.deleted, coalesce(gone.superreseller, d.superreseller), coalesce(gone.reseller, d.reseller), -1
  from client c join account d on d.id = c.dealer left join lateral (
    select t.superreseller, t.reseller from transfer t
    where t.client = c.id and c.dealer in (select account from tree_move) order by t.id desc limit 1
  ) gone on true
  where c.deleted is not null
  union all
  select m.created, side.superreseller, side.reseller, side.sign * m.clients
  from tree_move m cross join lateral (
    values (m.from_superreseller, m.from_reseller, -1), (m.to_superreseller, m.to_reseller, 1)
  ) side (superreseller, reseller, sign)
  where m.clients > 0
  union all
  select t.created, side.superreseller, side.reseller, side.sign
  from transfer t cross join lateral (
    values (t.from_superreseller, t.from_reseller, -1), (t.superreseller, t.reseller, 1)
  ) side (superreseller, reseller, sign)
  where t.type = 'MOVE';

alter table device drop column watching, drop column last_active,
  add image text, add hardware text, add device_id text, add device_id2 text, add first_seen timestamptz, add mac text,
  add token_nonce text, add takeovers_refused boolean not null default false,
  add cut boolean not null default false,
  add constraint device_mac_key unique (mac);

create unlogged table presence (
  client bigint,
  polled timestamptz,
  address text,
  watching text,
  refusal text,
  answered timestamptz not null,
  constraint presence_pkey primary key (client),
  constraint presence_client_fk foreign key (client) references client (id)
);

create table device_history (
  id bigint generated always as identity,
  client bigint not null,
  at timestamptz not null,
  event text not null,
  detail text not null default '',
  address text,
  actor bigint,
  constraint device_history_pkey primary key (id),
  constraint device_history_event_check check (
    event in ('first seen', 'serial number', 'address', 'taken over', 'reset', 'new MAC')
  ),
  constraint device_history_client_fk foreign key (client) references client (id),
  constraint device_history_actor_fk foreign key (actor) references account (id)
);

create index device_history_client on device_history (client, id);
create index device_history_at on device_history (at);

create table box_login (
  id bigint generated always as identity,
  mac text not null,
  tried timestamptz not null,
  succeeded boolean,
  constraint box_login_pkey primary key (id)
);

create index box_login_mac on box_login (mac, tried);
create index box_login_tried on box_login (tried);

create unlogged table unknown_box (
  mac text,
  first_asked timestamptz not null,
  asked timestamptz not null,
  address text,
  stb_type text not null,
  version text not null,
  times bigint not null default 1,
  constraint unknown_box_pkey primary key (mac)
);

create index unknown_box_asked on unknown_box (asked);

create table box_count (
  at timestamptz,
  online integer not null,
  constraint box_count_pkey primary key (at)
);

create index presence_refusal on presence (refusal) where refusal is not null;

create table box_event (
  id bigint generated always as identity,
  client bigint not null,
  event text not null,
  message text not null default '',
  created timestamptz not null,
  expiry timestamptz not null,
  actor bigint,
  told timestamptz,
  confirmed timestamptz,
  constraint box_event_pkey primary key (id),
  constraint box_event_event_check check (event in ('send_msg', 'reboot', 'reload_portal', 'update_channels')),
  constraint box_event_confirmed_check check (confirmed is null or told is not null),
  constraint box_event_client_fk foreign key (client) references client (id),
  constraint box_event_actor_fk foreign key (actor) references account (id)
);

create index box_event_client on box_event (client, id);
create index box_event_expiry on box_event (expiry);

create table box_change (
  written xid8 not null default pg_current_xact_id(),
  client bigint not null,
  at timestamptz not null default now()
);

create index box_change_written on box_change (written);
create index box_change_at on box_change (at);

create function log_changed_client() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_change (client) values (new.id);
  return null;
end $$;

create trigger log_changed_client after update on client for each row
  when (
    (old.dealer, old.mac, old.ministra, old.alt_player, old.active, old.locked, old.package_selection, old.deleted)
    is distinct from
    (new.dealer, new.mac, new.ministra, new.alt_player, new.active, new.locked, new.package_selection, new.deleted)
  )
  execute function log_changed_client();

create function log_changed_services() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_change (client) select s.client from changed s join device d on d.client = s.client;
  return null;
end $$;

create trigger log_changed_services after update on service
  referencing new table as changed for each statement execute function log_changed_services();

create function log_changed_device() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_change (client) values (coalesce(new.client, old.client));
  return null;
end $$;

create trigger log_changed_device after update of stb_sn, device_id, device_id2, mac, token_nonce, takeovers_refused,
  locked_to_ip, cut on device for each row execute function log_changed_device();
create trigger log_new_device after insert or delete on device for each row execute function log_changed_device();

create function log_new_events() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_change (client) select distinct client from added;
  return null;
end $$;

create trigger log_new_events after insert on box_event
  referencing new table as added for each statement execute function log_new_events();

create function tell_of_channels() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into box_event (client, event, created, expiry)
  select client, 'update_channels', moment(), moment() + interval '240 seconds' from device where client = new.id;
  return null;
end $$;

create trigger tell_of_channels after update on client for each row
  when ((old.package_selection, old.alt_player) is distinct from (new.package_selection, new.alt_player))
  execute function tell_of_channels();

create view dealer_out_of_service as
  select a.id as dealer from account a join suspension s on s.account in (a.id, a.reseller, a.superreseller)
  where a.role = 'dealer' and s.lifted is null and s.service_too;

create function forget_device(of_client bigint) returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    with forgotten as (delete from device where client = of_client returning true),
      lost as (delete from presence where client = of_client returning true)
    select exists (select from forgotten) or exists (select from lost)
  $$;

create table lineup (
  only_one boolean not null default true,
  revision bigint not null default 1,
  player text not null default 'ffmpeg',
  alt_player text not null default 'ffrt',
  constraint lineup_pkey primary key (only_one),
  constraint lineup_one_check check (only_one)
);

create table playlist (
  only_one boolean not null default true,
  address bytea,
  shown text not null,
  given timestamptz not null,
  tried timestamptz not null,
  failure text,
  content bytea,
  taken timestamptz,
  channels integer not null default 0,
  skipped integer not null default 0,
  held text,
  held_at timestamptz,
  held_content bytea,
  held_channels integer,
  held_skipped integer,
  held_groups jsonb,
  constraint playlist_pkey primary key (only_one),
  constraint playlist_one_check check (only_one),
  constraint playlist_taken_check check ((content is null) = (taken is null)),
  constraint playlist_held_check check (
    held in ('empty', 'broken', 'shrunk')
    and num_nulls(held_at, held_content, held_channels, held_skipped, held_groups) = 0
    or num_nonnulls(held, held_at, held_content, held_channels, held_skipped, held_groups) = 0
  )
);

create table channel (
  id integer generated always as identity,
  key text not null,
  seen timestamptz not null,
  constraint channel_pkey primary key (id),
  constraint channel_key_key unique (key)
);

create table channel_group (
  id integer generated always as identity,
  name text not null,
  adult boolean not null,
  packages integer[] not null,
  place integer not null,
  channels integer not null,
  unprotected integer not null,
  constraint channel_group_pkey primary key (id),
  constraint channel_group_name_key unique (name)
);

create table favourite (
  client bigint,
  channels integer[] not null,
  constraint favourite_pkey primary key (client),
  constraint favourite_client_fk foreign key (client) references client (id)
);

create unlogged table stream_use (
  client bigint,
  tokens text[] not null,
  constraint stream_use_pkey primary key (client),
  constraint stream_use_client_fk foreign key (client) references client (id)
);

create unlogged table server_process (
  id uuid,
  host text not null,
  pid integer not null,
  version text not null,
  node text not null,
  console_port integer,
  box_port integer,
  started timestamptz not null,
  seen timestamptz not null default moment(),
  stopping boolean not null,
  clock_offset_ms bigint not null,
  database_host text,
  disk_free bigint,
  disk_least bigint,
  backups jsonb,
  constraint server_process_pkey primary key (id),
  constraint server_process_disk_check check ((disk_free is null) = (disk_least is null))
);

create function forget_servers(ids uuid[]) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from server_process where id = any (ids) $$;

create table job (
  name text,
  ended timestamptz not null default moment(),
  took_ms bigint not null,
  succeeded timestamptz,
  failures integer not null,
  failure text,
  next timestamptz,
  constraint job_pkey primary key (name),
  constraint job_failure_check check ((failures = 0) = (failure is null) and (failures > 0 or succeeded is not null))
);
