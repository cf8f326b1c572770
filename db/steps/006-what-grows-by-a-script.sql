-- Expands: what an account can add to without end is found by an index wherever somebody else's call reads it.
drop index concurrently if exists box_event_waiting;
drop index concurrently if exists credit_request_ended;
drop index concurrently if exists tree_move_from;
create index concurrently box_event_waiting on box_event (client, expiry) where told is null;
create index concurrently credit_request_ended on credit_request (account, answered) where state in ('declined', 'withdrawn');
create index concurrently tree_move_from on tree_move (coalesce(from_reseller, from_superreseller), created);
