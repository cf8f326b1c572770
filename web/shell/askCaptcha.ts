import { calls } from '../../contract/calls.ts'
import { send } from '../calls/api.ts'

/** Asks for the captcha of a sign-in. In a file of its own, because the page asks before any form has loaded. */
export const askCaptcha = () => send(calls.session.captcha, {})
