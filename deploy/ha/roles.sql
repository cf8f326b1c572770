-- Once, on the primary, after each change-me was replaced: psql -f roles.sql
create role boxtree_owner login password 'change-me';
create role boxtree_server login password 'change-me';
create database boxtree owner boxtree_owner;
