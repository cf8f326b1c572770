import * as z from 'zod/mini'
import { AccountPassword } from '../accounts.ts'
import { StoredSettings } from '../appearance.ts'
import { call, Done, EVERYBODY, Nothing } from '../call.ts'
import { Preferences } from '../preferences.ts'
import { secret } from '../secret.ts'
import { GivenName, Moment, OwnSession, RoleName, SignIn } from '../shapes.ts'
import { trimmed } from '../text.ts'

/** The account that is signed in. */
const User = z.object({
  login_username: z.string(),
  name: z.string(),
  role: RoleName,
  /** null for the admin, who issues without limit. */
  credits: z.nullable(z.int()),
  settings: StoredSettings,
  preferences: Preferences,
  /** The business's zone, in which every moment is shown. */
  time_zone: z.string(),
  expiry: Moment,
  /** The server's clock, for the console to go by. */
  now: Moment,
})
export type User = z.output<typeof User>

export const session = {
  captcha: call({
    method: 'GET',
    path: '/captcha',
    roles: 'anyone',
    summary: 'Which human verification the login wants, with a fresh challenge where Boxtree makes it itself',
    input: Nothing,
    output: z.object({
      provider: z.enum(['altcha', 'recaptcha', 'hcaptcha', 'turnstile', 'none']),
      site_key: z.optional(z.string()),
      challenge: z.optional(z.unknown()),
    }),
  }),
  login: call({
    method: 'POST',
    path: '/authenticate',
    roles: 'anyone',
    summary: 'Begins a session of one hour',
    input: z.strictObject({
      login_username: GivenName.check(z.overwrite(trimmed), z.minLength(1, 'Please type your username')),
      login_password: secret(z.string().check(z.minLength(1, 'Please type your password'), z.maxLength(200))),
      g_recaptcha_response: z.optional(secret(z.string().check(z.maxLength(20_000)))),
    }),
    output: z.extend(Done, { token: z.string(), ...User.shape }),
    // With a full disk people must still be able to sign in and look.
    needsSpace: 'none',
  }),
  logout: call({
    method: 'POST',
    path: '/logout',
    roles: EVERYBODY,
    summary: 'Ends this session',
    input: Nothing,
    output: Done,
    // A repeat could not be answered: its session has ended.
    takesKey: false,
    needsSpace: 'none',
    endsSession: true,
  }),
  user: call({
    method: 'GET',
    path: '/api/user',
    roles: EVERYBODY,
    summary: 'Who is signed in, and until when',
    input: Nothing,
    output: User,
  }),
  password: call({
    method: 'POST',
    path: '/changepassword',
    roles: EVERYBODY,
    summary: "Changes the caller's own password and ends the account's other sessions",
    input: z.strictObject({
      old_password: secret(z.string().check(z.minLength(1), z.maxLength(200))),
      password: AccountPassword,
    }),
    output: Done,
    sets: 'password',
  }),
  savePreferences: call({
    method: 'POST',
    path: '/preferences',
    roles: EVERYBODY,
    summary: 'Saves the preferences that are sent; all others stay',
    input: Preferences,
    output: Done,
    sets: '{field}',
  }),
  list: call({
    method: 'GET',
    path: '/sessions',
    roles: EVERYBODY,
    summary: "The caller's sessions, the newest first",
    input: Nothing,
    output: z.object({ data: z.array(OwnSession) }),
  }),
  end: call({
    method: 'POST',
    path: '/sessions/end',
    roles: EVERYBODY,
    summary: "Ends another session of the caller's",
    input: z.strictObject({ id: z.int() }),
    output: Done,
    needsSpace: 'little',
  }),
  signIns: call({
    method: 'GET',
    path: '/sign-ins',
    roles: EVERYBODY,
    summary:
      "The newest sign-ins to the caller's account: 50 that succeeded, 50 that failed, and 50 while suspended",
    input: Nothing,
    output: z.object({ data: z.array(SignIn) }),
  }),
  users: call({
    method: 'GET',
    path: '/users',
    roles: EVERYBODY,
    summary: 'The caller and every account beneath',
    input: Nothing,
    output: z.array(z.object({ name: z.string(), role: RoleName })),
  }),
}
