-- What the server's own role may do, stated whole at every start. It owns nothing, and what must only be appended
-- it can only append.
revoke all on all tables in schema public from public, :server_role;
revoke all on all functions in schema public from public;
grant usage on schema public to :server_role;
grant select on all tables in schema public to :server_role;
grant insert, update, delete on session, login_try, captcha_used, broadcast, answer, export_ticket to :server_role;
grant insert on account, client, service, device, transfer, mac_trial, audit, statistic, installation to :server_role;
grant update (password, description, settings) on account to :server_role;
grant update on client, device to :server_role;
grant update (expiry) on service to :server_role;
grant delete on service, device to :server_role;
grant execute on function lock_holdings(bigint[]), search_text(text, text, text, text),
  forget_empty_counts(timestamptz) to :server_role;
