-- How the tree changes. An account moves with everything beneath it, and all paths and counts follow; rows that were
-- written before a move keep their path. So the tree has a history, by which `verify` judges each row of the ledger.

-- A row for each account whose path a move changed: the moved one, and those beneath it.
create table tree_move (
  id bigint generated always as identity,
  created timestamptz not null default moment(),
  account bigint not null,
  actor bigint not null,
  -- The last row of the ledger before the move. The rows of this account up to it lie on the path before.
  last_transfer bigint not null,
  from_superreseller bigint not null,
  from_reseller bigint,
  to_superreseller bigint not null,
  to_reseller bigint,
  -- The clients that a dealer had then.
  clients integer not null,
  constraint tree_move_pkey primary key (id),
  constraint tree_move_path_check check (
    (from_superreseller, from_reseller) is distinct from (to_superreseller, to_reseller)
  ),
  constraint tree_move_account_fk foreign key (account) references account (id),
  constraint tree_move_actor_fk foreign key (actor) references account (id)
);

create index tree_move_account on tree_move (account, id);
create index tree_move_from on tree_move (coalesce(from_reseller, from_superreseller), created);

create trigger appended_only before update or delete or truncate on tree_move
  for each statement execute function refuse_change();

-- Moves an account to another parent of the same role. Locks the holdings of all that moves first, as every transfer
-- and every call that changes the counts does; then the accounts, from the lowest up, as a login does.
create function move_account(moved bigint, new_parent bigint, by_actor bigint) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  above account;
  new_superreseller bigint;
begin
  -- Twice, because a dealer may have been created while the first statement waited. Once the moved account is locked, it
  -- creates no more.
  for times in 1..2 loop
    perform from holding h where h.account in (select a.id from account a where moved in (a.id, a.parent))
      order by h.id for update;
  end loop;
  perform from account a where moved in (a.id, a.parent) order by a.role, a.id for update;
  select * into strict above from account where id = new_parent;
  new_superreseller := coalesce(above.superreseller, above.id);

  insert into tree_move (account, actor, last_transfer, from_superreseller, from_reseller, to_superreseller, to_reseller,
    clients)
  select a.id, by_actor, (select coalesce(max(id), 0) from transfer), a.superreseller, a.reseller, new_superreseller,
    case when a.id <> moved then moved when above.role = 'reseller' then above.id end,
    (select coalesce(sum(k.clients), 0) from client_count k where k.account = a.id)
  from account a where moved in (a.id, a.parent) order by a.id;

  insert into count_change (dealer, superreseller, expiry, clients)
  select a.id, side.superreseller, k.expiry, side.sign * sum(k.clients)
  from account a join client_count k on k.account = a.id
  cross join lateral (values (a.superreseller, -1), (new_superreseller, 1)) side (superreseller, sign)
  where moved in (a.id, a.parent) and a.superreseller <> new_superreseller
  group by a.id, side.superreseller, k.expiry, side.sign having sum(k.clients) <> 0;

  -- The dealers of a reseller follow by their foreign key. The parent before had set when its balance is low.
  update account set parent = new_parent, superreseller = new_superreseller,
    reseller = case above.role when 'reseller' then above.id end, low_by_parent = null
  where id = moved;
end $$;

-- Moves clients to another dealer. Their directory and the counts follow by the triggers of `service`. The MOVE rows of
-- the ledger are for the caller to append, who has locked the holdings of both dealers. Messages and commands of the
-- old dealer that their boxes have not been told yet expire.
create function move_clients(moved bigint[], to_dealer bigint) returns void
  language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  update client set dealer = to_dealer where id = any (moved);
  update service set dealer = to_dealer where client = any (moved);
  update box_event set expiry = moment()
  where client = any (moved) and actor is not null and told is null and expiry > moment();
end $$;
