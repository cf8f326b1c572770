-- What the servers of this database tell of themselves and of their jobs, for the admin's screen System. No decision
-- depends on it, and its commits wait for no standby.

-- Every server writes its row again and again while it runs, and removes it when it is stopped. A row that is not
-- written any more is that of a server that was killed; the clean-up removes it a day later.
create unlogged table server_process (
  -- Made at each start.
  id uuid,
  host text not null,
  pid integer not null,
  version text not null,
  node text not null,
  -- Null where it does not serve these.
  console_port integer,
  box_port integer,
  started timestamptz not null,
  seen timestamptz not null default moment(),
  -- Whether it was told to stop.
  stopping boolean not null,
  clock_offset_ms bigint not null,
  -- The server of the database that it writes to.
  database_host text,
  -- The bytes that are free on the disk of an embedded database, and below which changes are refused.
  disk_free bigint,
  disk_least bigint,
  -- The backups that it makes by itself, in the shape of the contract; null where it makes none.
  backups jsonb,
  constraint server_process_pkey primary key (id),
  constraint server_process_disk_check check ((disk_free is null) = (disk_least is null))
);

create function forget_servers(ids uuid[]) returns void
  language sql volatile security definer set search_path = public, pg_temp
  as $$ delete from server_process where id = any (ids) $$;

-- How the last run of each job went, on whichever server.
create table job (
  name text,
  ended timestamptz not null default moment(),
  took_ms bigint not null,
  -- When it last succeeded, how many runs have failed since, and why the last one failed.
  succeeded timestamptz,
  failures integer not null,
  failure text,
  -- When it runs again; null for one that runs once.
  next timestamptz,
  constraint job_pkey primary key (name),
  constraint job_failure_check check ((failures = 0) = (failure is null) and (failures > 0 or succeeded is not null))
);
