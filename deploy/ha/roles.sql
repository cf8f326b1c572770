-- Replace each change-me. Then run this once, on the primary: psql -f roles.sql
create role boxtree_owner login password 'change-me';
create role boxtree_server login password 'change-me';
-- By the rules of C.UTF-8 names are compared as the console compares them.
create database boxtree owner boxtree_owner template template0 encoding 'UTF8' locale 'C.UTF-8';
-- PostgreSQL would write rows that it refuses, with the beginning of a password's hash, to its log. The console's own log says
-- why a call failed.
alter role boxtree_owner set log_min_messages = 'log';
alter role boxtree_owner set log_min_error_statement = 'panic';
alter role boxtree_owner set log_error_verbosity = 'terse';
alter role boxtree_server set log_min_messages = 'log';
alter role boxtree_server set log_min_error_statement = 'panic';
alter role boxtree_server set log_error_verbosity = 'terse';
