-- Expands: a box that signs in to a Ministra client may have a MAC of any make.
alter table mac_trial drop constraint mac_trial_mac_check,
  add constraint mac_trial_mac_check check (mac ~ '^([0-9A-F]{2}:){5}[0-9A-F]{2}$');
