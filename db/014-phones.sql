-- A phone number from abroad is kept with its '+'; without, it read as another number. Those kept before stay as they are.
alter table client drop constraint client_phone_check;
alter table client add constraint client_phone_check check (phone ~ '^([0-9]{0,15}|[+][0-9]{4,15})$');
