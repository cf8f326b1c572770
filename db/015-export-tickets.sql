-- A ticket belongs to the session that asked for it, and is gone with it. None outlives its minute, so that those of
-- before are not brought along.
drop table export_ticket;

-- A file that may be fetched once, within its minute.
create table export_ticket (
  ticket_hash bytea primary key check (length(ticket_hash) = 32),
  session bytea not null references session (token_hash) on delete cascade,
  kind text not null check (kind in ('clients', 'transactions')),
  selection jsonb not null,
  expiry timestamptz not null
);

create index export_ticket_session on export_ticket (session);
