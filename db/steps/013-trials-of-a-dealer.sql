-- Expands: the trials that a dealer gave today are found without everybody's transactions of today.
drop index concurrently if exists transfer_trial_of_dealer;
create index concurrently transfer_trial_of_dealer on transfer (dealer, created) where type = 'TRIAL';
