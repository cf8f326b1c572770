-- Expands: what MACs have got a trial today is found without those of all days.
drop index concurrently if exists mac_trial_created;
create index concurrently mac_trial_created on mac_trial (created);
