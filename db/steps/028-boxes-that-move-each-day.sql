-- Expands: what the history of a box says, but for its addresses, is found without reading the addresses of a year.
drop index concurrently if exists device_history_rare;
create index concurrently device_history_rare on device_history (client, id) where event <> 'address';
