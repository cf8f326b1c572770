-- Expands: an ANALYZE of the directory finds no pairs of letters in its sample, which nothing was estimated by: of a million
-- clients it takes a core for 1 s instead of 10.
alter index directory_pairs alter column 1 set statistics 0;
