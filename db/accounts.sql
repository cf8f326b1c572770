-- The accounts: a tree of fixed depth, from the admin through superresellers and resellers to the dealers. Each row
-- carries the path to itself, so that one index finds every account beneath a superreseller or reseller. Only
-- `move_account` changes a path. Beside the accounts are their suspensions, their requests for credits, the audit, and
-- short-lived data: sessions, sign-ins, login tries, idempotency keys with their replies, and tickets of files.

-- Only the owner of the tables writes here: `schema`, the fingerprint of the files that made these tables, `step`, the
-- last step that they contain or that was applied since, `needs`, the last one that a version must know to run on them,
-- and `clock`.
create table setup (
  key text,
  value text not null,
  constraint setup_pkey primary key (key)
);

-- What all consoles of this database must share, such as the canary that proves SECRET_KEY.
create table installation (
  key text,
  value bytea not null,
  constraint installation_pkey primary key (key)
);

create table account (
  id bigint generated always as identity,
  name text not null,
  role text not null,
  parent bigint,
  parent_role text generated always as (
    case role when 'superreseller' then 'admin' when 'reseller' then 'superreseller' when 'dealer' then 'reseller' end
  ) stored,
  superreseller bigint,
  reseller bigint,
  description text not null default '',
  password text not null,
  settings jsonb not null,
  -- How its person likes to work. A release keeps what another release stored and it does not know.
  preferences jsonb not null default '{}',
  created timestamptz not null,
  -- A balance below this is marked as low: the account's own choice, else that of its parent.
  low_own integer,
  low_by_parent integer,
  -- A closed account keeps its name, description and history, and has no password. It is never opened again.
  closed timestamptz,
  constraint account_pkey primary key (id),
  constraint account_id_role_key unique (id, role),
  constraint account_id_superreseller_key unique (id, superreseller),
  constraint account_name_check check (name ~ '^[A-Za-z0-9._-]{3,32}$'),
  constraint account_role_check check (role in ('admin', 'superreseller', 'reseller', 'dealer')),
  constraint account_description_check check (length(description) <= 100),
  constraint account_preferences_check check (octet_length(preferences::text) <= 32768),
  constraint account_low_check check (low_own between 1 and 1000000 and low_by_parent between 1 and 1000000),
  constraint account_closed_check check (closed is null or (role <> 'admin' and preferences = '{}')),
  constraint account_parent_check check ((role = 'admin') = (parent is null)),
  constraint account_path_check check (
    case role
      when 'admin' then superreseller is null and reseller is null
      when 'superreseller' then superreseller is null and reseller is null
      when 'reseller' then (superreseller = parent and reseller is null) is true
      else (superreseller is not null and reseller = parent) is true
    end
  ),
  -- The parent is one level above.
  constraint account_parent_fk foreign key (parent, parent_role) references account (id, role),
  -- A dealer's superreseller is its reseller's, and follows when the reseller moves to another.
  constraint account_path_fk foreign key (reseller, superreseller) references account (id, superreseller)
    on update cascade
);

create unique index account_name_key on account (lower(name));
create unique index account_admin_key on account (role) where role = 'admin';
create index account_parent on account (parent);
create index account_superreseller on account (superreseller);

create table session (
  -- SHA-256 of the token: the token itself is nowhere.
  token_hash bytea,
  account bigint not null,
  created timestamptz not null,
  expiry timestamptz not null,
  -- The id by which the account ends one of its sessions.
  id bigint generated always as identity,
  -- The address and the browser with which it began.
  address text,
  agent text not null default '',
  constraint session_pkey primary key (token_hash),
  constraint session_id_key unique (id),
  constraint session_token_hash_check check (length(token_hash) = 32),
  constraint session_account_fk foreign key (account) references account (id)
);

create index session_account on session (account);
create index session_expiry on session (expiry);

-- An account that was suspended is refused at the login, and so is everything beneath it. This is read from the path
-- and never copied down, so that lifting one suspension leaves the others. A lifted one stays as history.
create table suspension (
  id bigint generated always as identity,
  account bigint not null,
  actor bigint not null,
  reason text not null,
  -- Whether the clients beneath are not served either.
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

-- Returns whether an account, or one above it, is suspended. Older servers ask it, which may run beside this version.
create function is_suspended(of_account bigint) returns boolean
  language sql stable
  return exists (
    select from account a join suspension s on s.account in (a.id, a.reseller, a.superreseller)
    where a.id = of_account and s.lifted is null);

-- A request of an account for credits from its parent. It is locked while it is answered, so that only one of granting,
-- declining and withdrawing succeeds.
create table credit_request (
  id bigint generated always as identity,
  account bigint not null,
  credits integer not null,
  note text not null,
  created timestamptz not null,
  state text not null default 'open',
  -- The credits that were granted, which may be fewer; null otherwise.
  granted integer,
  -- What the parent says to a request that it declines.
  answer text not null default '',
  answered timestamptz,
  constraint credit_request_pkey primary key (id),
  constraint credit_request_credits_check check (credits between 1 and 10000),
  constraint credit_request_note_check check (length(note) <= 200 and length(answer) <= 200),
  constraint credit_request_state_check check (state in ('open', 'granted', 'declined', 'withdrawn')),
  constraint credit_request_answered_check check ((state = 'open') = (answered is null)),
  constraint credit_request_granted_check check (
    case state when 'granted' then (granted between 1 and credits) is true else granted is null end
  ),
  constraint credit_request_account_fk foreign key (account) references account (id)
);

create unique index credit_request_open_key on credit_request (account) where state = 'open';
create index credit_request_account on credit_request (account, id);
create index credit_request_ended on credit_request (account, answered) where state in ('declined', 'withdrawn');

-- Every sign-in to an account, and every try with a wrong password or while it was suspended. Kept for KEEP_DAYS.
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
-- Finds the last login of an account quickly, although others may have guessed at its password many times since.
create index sign_in_succeeded on sign_in (account, at) where outcome = 'succeeded';
create index sign_in_at on sign_in (at);

-- Every try of a password: at a sign-in, at a change of the password, and of a box. The name is an account's in lower
-- case, or a digest that stands for one (`server/access/login-limits.ts`).
create table login_try (
  id bigint generated always as identity,
  name text not null,
  address text not null,
  tried timestamptz not null,
  -- null while it is being checked
  succeeded boolean,
  constraint login_try_pkey primary key (id)
);

create index login_try_name on login_try (name, tried);
create index login_try_address on login_try (address, tried);

-- Takes a try back whose password was not checked after all, as where too many people were signing in. The server calls
-- this instead of deleting from `login_try`, because a right to delete would let it forget the wrong ones.
create function withdraw_try(of_try bigint) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from login_try where id = of_try and succeeded is null $$;

-- A captcha's solution is valid once.
create table captcha_used (
  solution_hash bytea,
  expiry timestamptz not null,
  constraint captcha_used_pkey primary key (solution_hash),
  constraint captcha_used_solution_hash_check check (length(solution_hash) = 32)
);

create table broadcast (
  only_one boolean default true,
  message text not null,
  constraint broadcast_pkey primary key (only_one),
  constraint broadcast_only_one_check check (only_one),
  constraint broadcast_message_check check (length(message) <= 2000 and message <> '')
);

-- The reply to the first call under each Idempotency-Key, and an HMAC of its body.
create table idempotency_key (
  account bigint not null,
  call text not null,
  key text not null,
  body_hmac bytea not null,
  reply jsonb not null,
  created timestamptz not null,
  constraint idempotency_key_pkey primary key (account, call, key),
  constraint idempotency_key_key_check check (length(key) between 1 and 255),
  constraint idempotency_key_account_fk foreign key (account) references account (id)
);

create index idempotency_key_created on idempotency_key (created);

-- A ticket fetches one file once, within a minute and while the session that asked for it lasts.
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

-- Returns when the transaction began, which dates the rows that it appends: by the database's clock, in milliseconds
-- like every moment in Boxtree. No session can choose it, unless the owner has set `clock` to 'played' for the
-- demonstration or a test.
create function moment() returns timestamptz language plpgsql stable set search_path = public, pg_temp as $$
declare
  played text := current_setting('boxtree.moment', true);
begin
  -- In two steps, because a condition without a query takes a tenth of the time, and this is asked for each row.
  if played <> '' then
    if exists (select from setup where key = 'clock' and value = 'played') then
      return played::timestamptz;
    end if;
  end if;
  return date_trunc('milliseconds', now());
end $$;

-- Claims a key until the transaction ends. Waits until no other transaction has claimed it. Returns the reply that has
-- been stored under it since a moment. The second statement sees what the transaction that it waited for has stored.
-- `claimFreeKeys` in server/corridor/idempotency.ts takes the same lock.
create function claim_key(of_account bigint, of_call text, of_key text, since timestamptz)
  returns table (body_hmac bytea, reply jsonb)
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(' ', of_account, of_call, of_key), 0));
  return query select k.body_hmac, k.reply from idempotency_key k
    where k.account = of_account and k.call = of_call and k.key = of_key and k.created > since;
end $$;

-- Locks a session until the transaction ends. Fails with BX401 if it has ended.
create function hold_session(hash bytea, now timestamptz) returns void
  language plpgsql volatile set search_path = public, pg_temp as $$
begin
  perform from session where token_hash = hash and expiry > now for key share;
  if not found then raise exception 'the session has ended' using errcode = 'BX401'; end if;
end $$;

-- The server removes rows of these tables through functions alone: a right to delete from a whole table is a right to
-- lock it against everybody.

create function end_session(hash bytea) returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$ with ended as (delete from session where token_hash = hash returning true) select exists (select from ended) $$;

-- Ends a session of an account by its id. Returns whether there was one.
create function end_session_of(of_account bigint, which bigint) returns boolean
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    with ended as (delete from session where account = of_account and id = which returning true)
    select exists (select from ended)
  $$;

create function end_sessions(of_account bigint, but bytea default null) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from session where account = of_account and token_hash is distinct from but $$;

-- Ends all sessions of an account and of everything beneath it, with their tickets of files.
create function end_sessions_beneath(of_account bigint) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$
    delete from session s using account a
    where a.id = s.account and of_account in (a.id, a.reseller, a.superreseller)
  $$;

create function remove_tickets(of_session bytea) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from export_ticket where session = of_session $$;

-- Deletes a ticket and returns what it is for, if neither it nor its session has expired.
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

-- Removes at most `most` rows that expired before a moment; of the audit only their addresses, and of `presence` and
-- `stream_use` those of clients that were deleted since that moment. The counts of boxes, of which there is one a minute,
-- are all removed at once. Returns how many. Whatever moment it is told, nothing goes that the shortest KEEP_DAYS would
-- keep, that has not expired, or that still counts against somebody who guesses passwords.
create function remove_outdated(name text, before timestamptz, most integer) returns integer
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  removed integer;
  newest timestamptz;
begin
  -- Each age stands in both conditions: a row that somebody changes while its deletion waits is judged once more.
  before := least(before, moment() - case
    when name in ('export_ticket', 'session', 'captcha_used') then interval '0'
    when name in ('box_login', 'box_change') then interval '1 hour'
    else interval '24 hours'
  end);
  case name
    when 'export_ticket' then
      delete from export_ticket where ticket_hash = any (
        array(select ticket_hash from export_ticket where expiry <= before limit most)) and expiry <= before;
    when 'session' then
      delete from session where token_hash = any (
        array(select token_hash from session where expiry <= before limit most)) and expiry <= before;
    when 'login_try' then
      delete from login_try where id = any (array(select id from login_try where tried <= before limit most))
        and tried <= before;
    when 'captcha_used' then
      delete from captcha_used where solution_hash = any (
        array(select solution_hash from captcha_used where expiry <= before limit most)) and expiry <= before;
    when 'idempotency_key' then
      delete from idempotency_key where ctid = any (
        array(select ctid from idempotency_key where created <= before limit most)) and created <= before;
    when 'sign_in' then
      delete from sign_in where id = any (array(select id from sign_in where at <= before limit most)) and at <= before;
    when 'device_history' then
      delete from device_history where id = any (array(select id from device_history where at <= before limit most))
        and at <= before;
    when 'channel' then
      -- Those seen long ago, and all but the newest 300,000; none that was seen last.
      newest := (select max(seen) from channel);
      before := greatest(
        least(before, newest - interval '2 days'), (select seen from channel order by seen desc offset 300000 limit 1));
      delete from channel where id = any (
        array(select id from channel where seen < newest and seen <= before limit most))
        and seen < newest and seen <= before;
    when 'channel_group' then
      -- Of those that the playlist in use does not have, all but 20,000: those whose packages were chosen, and the newest.
      delete from channel_group where id = any (array(
        select id from channel_group where channels = 0
        order by packages <> '{1,7}' desc, id desc offset 20000 limit most)) and channels = 0;
    when 'box_login' then
      delete from box_login where id = any (array(select id from box_login where tried <= before limit most))
        and tried <= before;
    when 'unknown_box' then
      -- Those that asked long ago, and all but the newest 10,000.
      before := greatest(before, (select asked from unknown_box order by asked desc offset 10000 limit 1));
      delete from unknown_box where mac = any (array(select mac from unknown_box where asked <= before limit most))
        and asked <= before;
    when 'box_count' then
      delete from box_count where at <= before;
    when 'box_event' then
      delete from box_event where id = any (array(select id from box_event where expiry <= before limit most))
        and expiry <= before;
    when 'box_change' then
      delete from box_change where ctid = any (array(select ctid from box_change where at <= before limit most))
        and at <= before;
    when 'presence' then
      -- Of clients that are deleted: what a gateway was just storing of a box may have brought its row back.
      delete from presence where client = any (array(
        select p.client from client c join presence p on p.client = c.id where c.deleted >= before limit most));
    when 'stream_use' then
      delete from stream_use where client = any (array(
        select u.client from client c join stream_use u on u.client = c.id where c.deleted >= before limit most));
    when 'server_process' then
      delete from server_process where id = any (array(select id from server_process where seen <= before limit most))
        and seen <= before;
    when 'audit' then
      update audit set address = null where id = any (
        array(select id from audit where at <= before and address is not null limit most));
  end case;
  get diagnostics removed = row_count;
  return removed;
end $$;

-- Who changed what, when, and from which address. The address is forgotten after KEEP_DAYS; all else stays.
create table audit (
  id bigint generated always as identity,
  at timestamptz not null default moment(),
  event text not null,
  account bigint,
  address text,
  detail jsonb not null,
  constraint audit_pkey primary key (id),
  constraint audit_account_fk foreign key (account) references account (id)
);

create index audit_address on audit (at) where address is not null;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are only ever appended', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create function refuse_removal() returns trigger language plpgsql as $$
begin
  raise exception '% rows stay for good, because the ledger names them', tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

create trigger stays before delete or truncate on account for each statement execute function refuse_removal();

-- Nobody signs in with a closed account again. Here and not in the server, because a server of the version before may
-- close one as well.
create function forget_password() returns trigger language plpgsql as $$
begin
  new.password := '';
  return new;
end $$;

create trigger forget_password before update of closed on account for each row
  when (old.closed is null and new.closed is not null) execute function forget_password();

create function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception 'a closed account stays closed' using errcode = 'insufficient_privilege';
end $$;

-- The statistics count it as gone since the moment of its closing.
create trigger stays_closed before update of closed on account for each row
  when (old.closed is not null and new.closed is distinct from old.closed) execute function refuse_reopening();

create trigger appended_only before delete or truncate on audit
  for each statement execute function refuse_change();

-- Refuses every update of the audit except one that removes an address.
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
