-- Expands: the network of a box's address can be asked of PostgreSQL 15 as well.
create function network_of(address text) returns inet
  language plpgsql immutable strict set search_path = public, pg_temp as $$
declare
  known inet;
begin
  known := split_part(address, '%', 1);
  return network(set_masklen(known, case when family(known) = 6 and not known <<= '::ffff:0:0/96' then 64 else masklen(known) end));
exception when invalid_text_representation then
  return null;
end $$;
