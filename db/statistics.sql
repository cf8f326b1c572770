-- Each superreseller's credits, and the accounts and clients beneath it, at the end of each day. A row is written once
-- and never changes, whatever is moved, closed or deleted later; so it cannot be derived from the other tables.

create table statistic (
  day date not null,
  superreseller bigint not null,
  credits bigint not null,
  resellers integer not null,
  dealers integer not null,
  clients integer not null,
  -- The moment at which the day ended. Later changes are counted from it, even after TIME_ZONE was changed.
  ended timestamptz not null,
  constraint statistic_pkey primary key (superreseller, day),
  constraint statistic_superreseller_fk foreign key (superreseller) references account (id)
);

create index statistic_day on statistic (day);

-- The clients beneath each superreseller and reseller at the end of each day, and the credits used beneath it during the
-- day, less those taken back. Like a statistic, a row is written once and never changes.
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

-- Indexes for the changes since a moment, so that not all rows are read.
create index client_created on client (created);
create index client_deleted on client (deleted) where deleted is not null;
create index transfer_between_accounts on transfer (superreseller, created) where dealer is null;
