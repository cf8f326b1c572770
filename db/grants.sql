-- The rights of the server's role. Every start revokes all rights and grants these. The role owns nothing, and can only
-- insert into tables that are appended only. It gets rights to columns where possible: the database itself chooses the
-- id of each row, and the date of rows in the ledger and the audit. It gets no right to update or delete a whole table,
-- because that right would also allow it to lock the table against everybody.
-- :tables and :functions are all those of the owner, who has no say in what others, such as extensions, have made here.
revoke all on table :tables from public, :server_role;
revoke all on function :functions from public, :server_role;
grant usage on schema public to :server_role;
grant select on table :tables to :server_role;

grant insert (type, credits, source, destination, source_balance, destination_balance, superreseller, reseller, dealer,
  from_superreseller, from_reseller, from_dealer, client, actor, login, mac, description, expiry, expiry_before, counted_from) on transfer to :server_role;
grant insert (mac, client) on mac_trial to :server_role;
grant insert (event, account, address, detail) on audit to :server_role;

grant insert (name, role, parent, superreseller, reseller, description, password, settings, created),
  update (password, description, settings, preferences, low_own, low_by_parent, closed) on account to :server_role;
grant insert (dealer, name, password, mac, ministra, alt_player, active, phone, description, package_selection, created),
  update (password, mac, ministra, alt_player, active, phone, description, package_selection, locked, deleted)
  on client to :server_role;
grant insert (client, dealer, name, expiry), update (expiry) on service to :server_role;
grant insert, update (stb_sn, stb_type, version, image, hardware, device_id, device_id2, mac, token_nonce,
  takeovers_refused, locked_to_ip, cut, time_last_play_tv, time_last_play_video, last_played_tv_content,
  last_played_vod_content) on device to :server_role;
grant insert, update (polled, address, token_nonce, watching, watched, refusal, answered) on presence to :server_role;
grant insert (client, at, event, detail, mac_before, address, actor) on device_history to :server_role;
grant insert (mac, tried), update (succeeded, token_nonce, refusal) on box_login to :server_role;
grant insert (client, event, message, created, expiry, actor), update (told, confirmed) on box_event to :server_role;
grant insert (mac, first_asked, asked, address, stb_type, version, times),
  update (asked, address, stb_type, version, times) on unknown_box to :server_role;
grant insert on box_count to :server_role;
grant insert (only_one), update (revision, player, alt_player) on lineup to :server_role;
grant insert (address, shown, given, tried), update (address, shown, given, tried, failure, content, taken, channels, skipped,
  held, held_at, held_content, held_channels, held_skipped, held_groups) on playlist to :server_role;
grant insert (client, channels), update (channels) on favourite to :server_role;
grant insert (client, tokens), update (tokens) on stream_use to :server_role;
grant insert (key, seen), update (seen) on channel to :server_role;
grant insert (name, adult, packages, place, channels, unprotected),
  update (adult, packages, place, channels, unprotected) on channel_group to :server_role;
grant insert (client, account, reminded), update (account, reminded) on reminder to :server_role;
grant insert (account, actor, reason, service_too, created), update (lifted, lifted_by) on suspension to :server_role;
grant insert (account, credits, note, created), update (state, granted, answer, answered)
  on credit_request to :server_role;
grant insert on statistic, branch_day, busy_day, finished_month, installation to :server_role;
grant insert (id, host, pid, version, node, console_port, box_port, started, stopping, clock_offset_ms, database_host,
  disk_free, disk_least, backups), update (seen, stopping, clock_offset_ms, database_host, disk_free, disk_least, backups)
  on server_process to :server_role;
grant insert (name, took_ms, succeeded, failures, failure, next),
  update (ended, took_ms, succeeded, failures, failure, next) on job to :server_role;

-- The server removes these rows through functions, most of them after minutes or days. It needs a right to update a column
-- of `session` in order to lock a session until it commits.
grant insert (token_hash, account, created, expiry, address, agent) on session to :server_role;
grant insert (account, at, address, agent, outcome) on sign_in to :server_role;
grant insert on login_try, captcha_used, broadcast, idempotency_key, export_ticket to :server_role;
grant update (created) on session to :server_role;
grant update (succeeded) on login_try to :server_role;
grant update (message) on broadcast to :server_role;
grant update (body_hmac, created, reply) on idempotency_key to :server_role;
grant execute on function end_session(bytea), end_session_of(bigint, bigint), end_sessions(bigint, bytea), end_sessions_beneath(bigint),
  remove_tickets(bytea), redeem_ticket(bytea, timestamptz), remove_broadcast(),
  remove_outdated(text, timestamptz, integer), forget_servers(uuid[]),
  models_of_boxes(timestamptz, integer), count_box_models(timestamptz, timestamptz, integer) to :server_role;

grant execute on function claim_key(bigint, text, text, timestamptz), hold_session(bytea, timestamptz) to :server_role;

grant execute on function moment(), lock_holdings(bigint[]), lock_free_holdings(bigint[]), is_suspended(bigint), search_text(text, text, text, text), letter_pairs(text),
  network_of(text),
  forget_device(bigint), forget_reminder(bigint), withdraw_try(bigint), forget_empty_counts(timestamptz), forget_days_ahead(),
  settle_counts(integer),
  move_account(bigint, bigint, bigint), move_clients(bigint[], bigint) to :server_role;

-- PostgreSQL lets everybody make temporary tables, which fill the disk.
do $$ begin
  execute format('revoke temporary on database %I from public', current_database());
end $$;
