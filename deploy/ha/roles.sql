-- Replace each change-me. Then run this once, on the primary: psql -f roles.sql
create role boxtree_owner login password 'change-me';
create role boxtree_server login password 'change-me';
-- By the rules of C.UTF-8 names are compared as the console compares them.
create database boxtree owner boxtree_owner template template0 encoding 'UTF8' locale 'C.UTF-8';
