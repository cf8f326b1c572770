-- Expands: what is rare is found without reading what is not: transactions that are no renewals, and logins that succeeded.
drop index concurrently if exists transfer_rare;
create index concurrently transfer_rare on transfer (type, created) where type <> 'USED';
drop index concurrently if exists transfer_rare_of_superreseller;
create index concurrently transfer_rare_of_superreseller on transfer (superreseller, type, created) where type <> 'USED';
drop index concurrently if exists transfer_rare_of_reseller;
create index concurrently transfer_rare_of_reseller on transfer (reseller, type, created) where type <> 'USED' and reseller is not null;
drop index concurrently if exists transfer_rare_of_dealer;
create index concurrently transfer_rare_of_dealer on transfer (dealer, type, created) where type <> 'USED' and dealer is not null;
drop index concurrently if exists sign_in_succeeded;
create index concurrently sign_in_succeeded on sign_in (account, at) where outcome = 'succeeded';
drop index concurrently if exists transfer_moved;
drop index concurrently if exists transfer_trial_of_dealer;
