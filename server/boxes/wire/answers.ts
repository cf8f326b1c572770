import * as z from 'zod/mini'

/**
 * What each call of a box answers. Apps and firmware of other makers crash on a wrong type and cannot be mended from
 * here, so every answer is checked before it is sent, and a call that is not here is refused.
 */

/** How often a box polls, in seconds. Kodi takes `timeslot` for it, and with 0 polls without a pause. */
const POLL_SECONDS = 120

const Polling = { watchdog_timeout: z.literal(POLL_SECONDS), timeslot: z.literal(POLL_SECONDS) }

export const POLLING = { watchdog_timeout: POLL_SECONDS, timeslot: POLL_SECONDS } as const

/** How many channels a box gets in a page of a list. */
export const PAGE_ITEMS = 14

const CHANNEL = {
  id: z.string(),
  name: z.string(),
  number: z.string(),
  cmd: z.string(),
  logo: z.string(),
  tv_genre_id: z.string(),
  use_http_tmp_link: z.literal('1'),
  use_load_balancing: z.literal('0'),
  censored: z.literal([0, 1]),
  open: z.literal(1),
  lock: z.literal(0),
  status: z.literal(1),
  hd: z.literal('0'),
  enable_tv_archive: z.literal(0),
  allow_pvr: z.literal(0),
  xmltv_id: z.literal(''),
}

/** Channels, of which there are `total_items` in all. */
const CHANNEL_PAGE = {
  total_items: z.int(),
  max_page_items: z.literal(PAGE_ITEMS),
  selected_item: z.literal(0),
  cur_page: z.literal(0),
}

/** A box is let in (0), refused (1), or asked for a login (2). */
const Profile = z.discriminatedUnion('status', [
  z.strictObject({
    ...Polling,
    status: z.literal(0),
    msg: z.literal(''),
    block_msg: z.literal(''),
    id: z.string(),
    name: z.string(),
    login: z.string(),
    mac: z.string(),
    stb_type: z.string(),
    hd: z.literal(1),
    locale: z.string(),
    stb_lang: z.string(),
    store_auth_data_on_stb: z.literal(false),
    allowed_stb_types: z.optional(z.array(z.string())),
    updated: z.strictObject({}),
    storages: z.strictObject({}),
  }),
  z.strictObject({
    ...Polling,
    status: z.literal(1),
    msg: z.string(),
    block_msg: z.string(),
    // For the page that Boxtree serves alone: that another login may be tried, and that it may poll on meanwhile.
    by_login: z.optional(z.literal(1)),
    polls_on: z.optional(z.literal(1)),
  }),
  z.strictObject({ ...Polling, status: z.literal(2), msg: z.string(), block_msg: z.literal('') }),
])

const NoEvent = z.strictObject({ msgs: z.literal(0), additional_services_on: z.literal('1') })

/** What a box is told at its poll; `id` is empty where it need not be confirmed. */
const OneEvent = z.strictObject({
  msgs: z.literal(1),
  additional_services_on: z.literal('1'),
  id: z.string(),
  event: z.enum(['cut_off', 'cut_on', 'send_msg', 'reboot', 'reload_portal', 'update_channels']),
  need_confirm: z.literal([0, 1]),
  msg: z.string(),
  reboot_after_ok: z.literal(0),
  auto_hide_timeout: z.literal(0),
  param1: z.literal(''),
  send_time: z.string(),
})

export const ANSWERS = {
  'stb/handshake': z.strictObject({ token: z.string().check(z.regex(/^[0-9A-F]{48}$/)) }),
  'stb/get_profile': Profile,
  'stb/do_auth': z.boolean(),
  'stb/get_localization': z.strictObject({}),
  'stb/get_modules': z.strictObject({
    all_modules: z.array(z.string()),
    switchable_modules: z.array(z.string()),
    disabled_modules: z.array(z.string()),
    restricted_modules: z.array(z.string()),
    template: z.string(),
  }),
  'watchdog/get_events': z.strictObject({ data: z.union([NoEvent, OneEvent]) }),
  'watchdog/confirm_event': z.strictObject({ data: z.literal('ok') }),
  'account_info/get_main_info': z.strictObject({
    fname: z.string(),
    phone: z.literal(''),
    ls: z.string(),
    mac: z.string(),
    tariff_plan: z.string(),
    end_date: z.string(),
    account_balance: z.literal(''),
    last_change_status: z.literal(''),
  }),
  'itv/get_genres': z.array(
    z.strictObject({ id: z.string(), title: z.string(), alias: z.string(), censored: z.literal([0, 1]) }),
  ),
  // The same for all boxes of a package, so that it does not say what is a favourite: `get_fav_ids` does.
  'itv/get_all_channels': z.strictObject({ ...CHANNEL_PAGE, data: z.array(z.strictObject(CHANNEL)) }),
  'itv/get_ordered_list': z.strictObject({
    ...CHANNEL_PAGE,
    data: z.array(z.strictObject({ ...CHANNEL, fav: z.literal([0, 1]) })),
  }),
  'itv/create_link': z.strictObject({
    id: z.string(),
    /** The word of a player and an address; empty where the client's package has no such channel. */
    cmd: z.string(),
    error: z.enum(['', 'nothing_to_play']),
  }),
  'itv/get_fav_ids': z.array(z.string()),
  'itv/set_fav': z.literal(true),
  'itv/set_played': z.literal(true),
  'stb/log': z.literal(1),
  'itv/get_epg_info': z.strictObject({ data: z.strictObject({}) }),
} as const

export type CallName = keyof typeof ANSWERS
export type Answer<Name extends CallName> = z.input<(typeof ANSWERS)[Name]>

/** Returns the profile of a box that is refused, which shows the sentence. */
export function refusedProfile(
  sentence: string,
  { byLogin = false, pollsOn = false } = {},
): Answer<'stb/get_profile'> {
  return {
    ...{ status: 1, msg: sentence, block_msg: sentence, ...POLLING },
    ...(byLogin && { by_login: 1 }),
    ...(pollsOn && { polls_on: 1 }),
  }
}

export function isCall(name: string): name is CallName {
  return Object.hasOwn(ANSWERS, name)
}
