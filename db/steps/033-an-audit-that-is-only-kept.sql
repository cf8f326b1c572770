-- Expands: no call reads the audit. Each change and each login wrote into two indexes that nothing used.
drop index concurrently if exists audit_at;
drop index concurrently if exists audit_account;
