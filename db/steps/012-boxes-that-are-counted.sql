-- Expands: how many boxes are known, and of what types and versions, is counted once for everybody who looks.
alter table box_count add column known integer;

create table box_model (
  stb_type text,
  version text,
  boxes integer not null,
  online integer not null,
  -- The same in every row.
  counted timestamptz not null,
  constraint box_model_pkey primary key (stb_type, version)
);

-- Counts the boxes of the most frequent types and versions.
create function models_of_boxes(online_since timestamptz, most integer)
  returns table (stb_type text, version text, boxes integer, online integer)
  language sql stable set search_path = public, pg_temp as $$
  select coalesce(d.stb_type, ''), coalesce(d.version, ''), count(*)::integer, (count(*) filter (where p.polled > online_since))::integer
  from device d left join presence p on p.client = d.client
  group by 1, 2 order by 3 desc, 1, 2 limit most
$$;

-- Counts them anew. Reads all boxes before it writes, because meanwhile a change that is under way would hold up others.
create function count_box_models(moment timestamptz, online_since timestamptz, most integer) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  models box_model[];
begin
  models := array(
    select (m.stb_type, m.version, m.boxes, m.online, moment)::box_model from models_of_boxes(online_since, most) m
  );
  delete from box_model;
  insert into box_model select * from unnest(models);
end $$;
