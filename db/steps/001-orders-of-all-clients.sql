-- Expands: the indexes in the orders of all clients include what these are made of, and the id.
drop index concurrently if exists client_by_name;
drop index concurrently if exists client_by_description;
drop index concurrently if exists client_by_mac;
drop index concurrently if exists client_by_ministra;
drop index concurrently if exists client_by_active;
create index concurrently client_by_name on client (lower(name)) include (id, name) where deleted is null;
create index concurrently client_by_description on client (lower(description), lower(name)) include (id, description, name) where deleted is null;
create index concurrently client_by_mac on client (mac, lower(name)) include (id, name) where deleted is null;
create index concurrently client_by_ministra on client (ministra, lower(name)) include (id, name) where deleted is null;
create index concurrently client_by_active on client (active, lower(name)) include (id, name) where deleted is null;
drop index concurrently if exists client_description;
drop index concurrently if exists client_mac_name;
drop index concurrently if exists client_ministra;
drop index concurrently if exists client_active;
