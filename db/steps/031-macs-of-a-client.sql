-- Expands: the MACs that came to a client on a trial are found by the client.
drop index concurrently if exists mac_trial_client;
create index concurrently mac_trial_client on mac_trial (client, created);
