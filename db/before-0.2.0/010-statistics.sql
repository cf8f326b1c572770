-- The moment at which the day of a row ended: what came after it is counted on from here, whatever TIME_ZONE is by then.
alter table statistic add column ended timestamptz not null;

-- What came and went since a moment, without looking at all there is.
create index client_created on client (created);
create index client_deleted on client (deleted) where deleted is not null;
create index transfer_between_accounts on transfer (superreseller, created) where dealer is null;
