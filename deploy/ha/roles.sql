-- Replace each change-me. Then run this once, on the primary: psql -f roles.sql
create role boxtree_owner login password 'change-me';
create role boxtree_server login password 'change-me';
create database boxtree owner boxtree_owner;
