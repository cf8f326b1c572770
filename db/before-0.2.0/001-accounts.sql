-- The tree of accounts. Its depth is fixed, and an account never moves, so that each row carries the whole path
-- to itself: what is beneath a superreseller or reseller is one index away.

create table account (
  id bigint generated always as identity primary key,
  name text not null check (name ~ '^[A-Za-z0-9._-]{3,32}$'),
  role text not null check (role in ('admin', 'superreseller', 'reseller', 'dealer')),
  parent bigint,
  parent_role text generated always as (
    case role when 'superreseller' then 'admin' when 'reseller' then 'superreseller' when 'dealer' then 'reseller' end
  ) stored,
  superreseller bigint,
  reseller bigint,
  description text not null default '' check (length(description) <= 100),
  password text not null,
  settings jsonb not null,
  created timestamptz not null,
  unique (id, role),
  -- The parent is one level above, and the path goes through it.
  foreign key (parent, parent_role) references account (id, role),
  check ((role = 'admin') = (parent is null)),
  check (
    case role
      when 'admin' then superreseller is null and reseller is null
      when 'superreseller' then superreseller is null and reseller is null
      when 'reseller' then superreseller = parent and reseller is null
      else superreseller is not null and reseller = parent
    end
  )
);

create unique index account_name on account (lower(name));
create unique index one_admin on account (role) where role = 'admin';
create index account_parent on account (parent);
create index account_superreseller on account (superreseller);

create table session (
  -- SHA-256 of the token: the token itself is nowhere.
  token_hash bytea primary key check (length(token_hash) = 32),
  account bigint not null references account (id),
  created timestamptz not null,
  expiry timestamptz not null
);

create index session_account on session (account);
create index session_expiry on session (expiry);

-- Every try of a name and password that was let through to the check.
create table login_try (
  id bigint generated always as identity primary key,
  name text not null,
  address text not null,
  tried timestamptz not null,
  -- null while it is being checked
  succeeded boolean
);

create index login_try_name on login_try (name, tried);
create index login_try_address on login_try (address, tried);

-- An answer of the human verification is good once.
create table captcha_used (
  answer_hash bytea primary key check (length(answer_hash) = 32),
  expiry timestamptz not null
);

create table broadcast (
  only_one boolean primary key default true check (only_one),
  message text not null check (length(message) <= 2000 and message <> '')
);

-- Facts of the whole installation, such as the canary that proves SECRET_KEY.
create table installation (
  key text primary key,
  value bytea not null
);

-- The first answer to an Idempotency-Key; of the body only an HMAC.
create table answer (
  account bigint not null references account (id),
  call text not null,
  key text not null check (length(key) between 1 and 255),
  body_hmac bytea not null,
  reply jsonb,
  created timestamptz not null,
  primary key (account, call, key)
);

create index answer_created on answer (created);

-- A file that may be fetched once, within its minute.
create table export_ticket (
  ticket_hash bytea primary key check (length(ticket_hash) = 32),
  account bigint not null references account (id),
  kind text not null check (kind in ('clients', 'transactions')),
  selection jsonb not null,
  expiry timestamptz not null
);

-- Who changed what, when and from where. Appended only.
create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  event text not null,
  account bigint references account (id),
  address text,
  detail jsonb not null
);

create index audit_at on audit (at);
create index audit_account on audit (account, id);

-- One row a day and superreseller, as the day ended.
create table statistic (
  day date not null,
  superreseller bigint not null references account (id),
  credits bigint not null,
  resellers integer not null,
  dealers integer not null,
  clients integer not null,
  primary key (superreseller, day)
);

create index statistic_day on statistic (day);
