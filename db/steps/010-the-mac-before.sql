-- Expands: the history of a client's box names the MAC that a new one replaced.
alter table device_history add column mac_before text;
