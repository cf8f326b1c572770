-- What stood beneath each superreseller as the days ended. A finished day is written once and never changes, whatever
-- moves, closes or goes later; so it is kept apart from all that it was counted from.

create table statistic (
  day date not null,
  superreseller bigint not null,
  credits bigint not null,
  resellers integer not null,
  dealers integer not null,
  clients integer not null,
  -- The moment at which the day ended: what came after it is counted on from here, whatever TIME_ZONE is by then.
  ended timestamptz not null,
  constraint statistic_pkey primary key (superreseller, day),
  constraint statistic_superreseller_fk foreign key (superreseller) references account (id)
);

create index statistic_day on statistic (day);

-- What came and went since a moment, without looking at all there is.
create index client_created on client (created);
create index client_deleted on client (deleted) where deleted is not null;
create index transfer_between_accounts on transfer (superreseller, created) where dealer is null;
