-- Expands: an index of each two letters, for the terms that no trigram has.
drop index concurrently if exists directory_pairs;
create or replace function letter_pairs(searched text) returns text[]
  language sql immutable strict parallel safe
  return array(
    select one || next from unnest(string_to_array(searched, null), (string_to_array(searched, null))[2:]) as side (one, next)
    where next is not null
  );
create index concurrently directory_pairs on directory using gin (letter_pairs(text));
