-- Expands: what is due is counted without those that are switched off, which are found by an index of their own.
drop index concurrently if exists directory_switched_off;
create index concurrently directory_switched_off on directory (dealer) where not active;
