-- Expands: whether a client's box has moved within the last hour is found by an index, however often it moves.
drop index concurrently if exists device_history_moved;
create index concurrently device_history_moved on device_history (client, at) where event = 'address';
