import type { Fragment, Sql } from '../postgres/pool.ts'

/** A row of the ledger that breaks a rule, and the end of the sentence that says how. */
export type BrokenRow = { id: number; fault: string }

/** Clocks of servers differ, and transactions wait for each other: a row may be this much older than the one before. */
export const ONE_HOUR = '1 hour'

/** The rules of the rows, each a query that finds the first row which breaks it. */
export const RULES: readonly ((sql: Sql) => Fragment)[] = [rowsByThemselves, holdings, clients]

/** Each row alone: its type, its path and its actor, all by the tree as it stood at that row. */
function rowsByThemselves(sql: Sql) {
  return sql`
    with place as (
      select h.id, h.kind, h.account, a.name from holding h join account a on a.id = h.account
    ),
    stood as (${pathsThroughTime(sql)}),
    path as (
      select a.id, a.name, a.created, stood.after, stood.until,
        case a.role when 'superreseller' then a.parent when 'reseller' then stood.superreseller else stood.reseller end
          as parent,
        case a.role when 'superreseller' then a.id else stood.superreseller end as superreseller,
        case a.role when 'reseller' then a.id else stood.reseller end as reseller,
        case a.role when 'dealer' then a.id end as dealer
      from stood join account a on a.id = stood.account
    ),
    checked as (
      select t.id, case
        when t.type in ('TRIAL', 'DELETE') or (t.type = 'MOVE' and t.credits = 0) then
          case when t.credits <> 0 or num_nonnulls(t.source, t.destination, t.source_balance, t.destination_balance) > 0
            then 'moves credits, though no row of its type does' end
        when t.credits <= 0 then format('moves %s credits', t.credits)
        when s.id is null or d.id is null then 'does not say where its credits come from or where they go'
        when not case t.type
          when 'ADD' then s.kind <> 'consumed' and d.kind = 'balance' and path.parent = s.account
          when 'REMOVE' then s.kind = 'balance' and d.kind <> 'consumed' and path.parent = d.account
          when 'USED' then s.kind = 'balance' and d.kind = 'consumed' and s.account = d.account and s.account = t.dealer
          when 'RETRIEVED' then s.kind = 'consumed' and d.kind = 'balance' and s.account = d.account and s.account = t.dealer
          when 'MOVE' then s.kind = 'consumed' and d.kind = 'consumed' and s.account = t.from_dealer and d.account = t.dealer
          else false
        end then format('goes from the %s of %s to the %s of %s, though no row of its type does', s.kind, s.name, d.kind, d.name)
      end as moved, case
        when (path.superreseller, path.reseller, path.dealer)
          is distinct from (t.superreseller, t.reseller, t.dealer) then format('does not lie on the path of %s', path.name)
        when t.type = 'MOVE' and (origin.superreseller, origin.reseller)
          is distinct from (t.from_superreseller, t.from_reseller) then format('does not come from the path of %s', origin.name)
        when t.type in ('ADD', 'REMOVE') and t.client is not null then 'names a client, though it is between accounts'
        when t.type not in ('ADD', 'REMOVE') and c.id is null then 'names no client'
        when t.login <> coalesce(c.name, path.name)
          then format('is of %s, but says %s', coalesce(c.name, path.name), t.login)
        when not case
          when t.type in ('DELETE', 'REMOVE', 'MOVE') and actor.role = 'admin' then true
          when t.type in ('ADD', 'REMOVE') then t.actor = path.parent
          when t.type = 'MOVE' then t.actor in (t.superreseller, t.reseller) and t.actor in (t.from_superreseller, t.from_reseller)
          else t.actor = t.dealer
        end then format('says that %s acted, who could not', actor.name)
        when t.created < coalesce(c.created, path.created) - ${ONE_HOUR}::interval
          then format('is dated %s, before there was any %s', t.created, t.login)
        when t.type = 'USED' and abs(extract(epoch from t.expiry
            - (t.counted_from + make_interval(months => t.credits) + time '23:59:59') at time zone 'UTC')) > 15 * 3600
          then format('pays %s months from %s, which do not end on %s', t.credits, t.counted_from, t.expiry::date)
      end as said
      from transfer t
      left join place s on s.id = t.source
      left join place d on d.id = t.destination
      left join path on path.id = case t.type when 'ADD' then d.account when 'REMOVE' then s.account else t.dealer end
        and t.id > path.after and t.id <= path.until
      left join path origin on origin.id = t.from_dealer and t.id > origin.after and t.id <= origin.until
      left join client c on c.id = t.client
      left join account actor on actor.id = t.actor
    ),
    broken as materialized (
      select id, coalesce(moved, said) as fault from checked where coalesce(moved, said) is not null
    )
    select id, fault from broken order by id limit 1`
}

/** Each account's paths, one after the other, and the rows of the ledger between which it had each. */
function pathsThroughTime(sql: Sql) {
  return sql`
    select account, from_superreseller as superreseller, from_reseller as reseller,
      lag(last_transfer, 1, 0::bigint) over (partition by account order by id) as after, last_transfer as until
    from tree_move
    union all
    select a.id, a.superreseller, a.reseller, coalesce(max(m.last_transfer), 0), ${LAST_ID}::bigint
    from account a left join tree_move m on m.account = a.id group by a.id`
}

const LAST_ID = '9223372036854775807'

/** The rows of each holding are a chain without a gap, never negative but for the issue, up to its balance. */
function holdings(sql: Sql) {
  return sql`
    with side as (
      select id, created, source as holding, -credits as delta, source_balance as after from transfer
      where source is not null
      union all
      select id, created, destination, credits, destination_balance from transfer where destination is not null
    ),
    link as (
      select id, holding, created, delta, after, lag(after, 1, 0::bigint) over chain as before,
        lag(created) over chain as created_before, lead(id) over chain is null as last
      from side window chain as (partition by holding order by id)
    )
    select link.id, case
      when after <> before + delta then
        format('takes the %s of %s from %s to %s, though it moves %s', h.kind, a.name, before, after, abs(delta))
      when after < 0 and h.kind <> 'issue' then format('takes the %s of %s below 0, to %s', h.kind, a.name, after)
      when link.created < created_before - ${ONE_HOUR}::interval then
        format('is dated %s, long before the row before it in the %s of %s', link.created, h.kind, a.name)
      else format('left the %s of %s at %s, but now %s are there', h.kind, a.name, after, h.balance)
    end as fault
    from link join holding h on h.id = link.holding join account a on a.id = h.account
    where after is distinct from before + delta or (after < 0 and h.kind <> 'issue')
      or link.created < created_before - ${ONE_HOUR}::interval or (last and h.balance <> after)
    order by link.id limit 1`
}

/**
 * The rows of each client lead from one expiry and one dealer to the next, within what was used. A trial ends on the
 * day after it was given at the latest; months count from the day on which they were bought, or on which the service
 * ended that they go on from; each that is taken back shortens the service by a month, and to the end of that day at
 * most; a dealer deletes only a client that has expired. Days are compared with moments so that each holds in every
 * time zone, and after TIME_ZONE was changed.
 */
function clients(sql: Sql) {
  return sql`
    with step as (
      select id, created, client, actor, type, credits, expiry, expiry_before, counted_from, dealer, from_dealer, lag(expiry) over history as before,
        lag(dealer) over history as dealer_before,
        lag(type) over history as type_before, lead(id) over history is null as last,
        sum(case type when 'USED' then credits when 'RETRIEVED' then -credits else 0 end) over history as used
      from transfer where client is not null window history as (partition by client order by id)
    ),
    checked as (
      select step.id, case
        when type_before = 'DELETE' then format('comes after %s was deleted', c.name)
        when type_before is null and type not in ('USED', 'TRIAL') then format('is the first row of %s, but neither a USED nor a TRIAL', c.name)
        when case type when 'MOVE' then from_dealer else step.dealer end <> dealer_before or last and c.dealer <> step.dealer
          then format('belongs to a dealer who did not have the client %s then', c.name)
        when type = 'MOVE' and credits <> used then format('moves %s months of %s, on whom %s were used', credits, c.name, used)
        when used < 0 then format('takes back more than was ever used on %s', c.name)
        when type = 'USED' and expiry_before <> before or type in ('TRIAL', 'DELETE', 'MOVE') and step.expiry <> before
          then format('does not go on from %s, where the row before it left %s', before, c.name)
        when type_before is null and case type when 'TRIAL' then step.expiry else expiry_before end
            > step.created + interval '50 hours'
          then format('begins %s with service that nobody has paid for', c.name)
        when type = 'USED' and extract(epoch from greatest(step.created, before) at time zone 'UTC' - counted_from)
            not between -15 * 3600 and 37 * 3600
          then format('counts the months of %s from %s, and not from %s', c.name, counted_from, greatest(step.created, before))
        when type = 'RETRIEVED' and (step.expiry > before - credits * interval '27 days' + interval '1 day'
            or step.expiry < before - credits * interval '31 days' - interval '2 days')
          then format('takes %s months of %s back, and leaves it served until %s instead of %s', credits, c.name, step.expiry, before)
        when type = 'RETRIEVED' and step.expiry < step.created - ${ONE_HOUR}::interval
          then format('takes %s months of %s back that were served already', credits, c.name)
        when type = 'DELETE' and step.expiry > step.created + ${ONE_HOUR}::interval and actor.role <> 'admin'
          then format('deletes %s, who was served until %s', c.name, step.expiry)
        when last and s.expiry <> step.expiry
          then format('leaves %s served until %s, but it is until %s', c.name, step.expiry, s.expiry)
        when last and (type = 'DELETE') <> any (array[c.deleted is not null, s.client is null]) then format(
          case type when 'DELETE' then 'deletes %s, which is still there' else 'is the last of %s, which is gone without a row' end,
          c.name)
      end as fault
      from step join client c on c.id = step.client left join service s on s.client = c.id
        left join account actor on actor.id = step.actor
    ),
    broken as materialized (select id, fault from checked where fault is not null)
    select id, fault from broken order by id limit 1`
}
