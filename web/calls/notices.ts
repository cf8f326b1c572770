import { atPlaceOf, type Call, type Calls } from '../../contract/call.ts'
import type { calls, InputOf, OutputOf } from '../../contract/calls.ts'
import type { LevelName } from '../../contract/levels.ts'
import { counted, inCredits } from '../../contract/quantities.ts'
import { levels } from '../levels.ts'
import type { SubmitError } from '../parts/form/Form.tsx'
import type { Notify } from '../parts/notices/Notices.tsx'
import { type ApiError, mayBeDone } from './api.ts'

/** The notices of a call. */
export interface CallNotices<C extends Call = Call> {
  /** Null where the success can be seen on the screen. */
  success: ((input: InputOf<C>, output: OutputOf<C>) => string) | null
  failure: string
  /** Says instead of the failure that the thing is gone already, where the call was to end it. */
  gone?: string
  /** Says that a reload interrupted it. Only a call with secrets is not sent again then; its input lacks them. */
  interrupted?: (input: InputOf<C>) => string
  /** Shows the server's message alone, without the sentence of this catalogue before it. */
  refusalAlone?: true
}

/** The call has no notices: the page that makes it shows its result and its failure. */
const silent = null

/** Returns the notices of a call, or null for a silent call. */
export function noticesOf<C extends Call>(call: C): CallNotices<C> | null {
  return atPlaceOf(call, catalogue) as CallNotices<C> | null
}

/** Closes the notices of a call's failures, and shows that of its success. @param more a second line of it */
export function tellSuccess<C extends Call>(
  notice: Notify,
  notices: CallNotices<C> | null,
  { input, output }: { input: InputOf<C>; output: OutputOf<C> },
  more?: string,
): void {
  if (notices) notice.settle(notices.failure)
  if (notices?.success) notice.success(notices.success(input, output), more)
}

/** Shows the notice of a call's failure. That the session has ended, the login page itself says. */
export function tellFailure(notice: Notify, notices: CallNotices | null, failure: ApiError): void {
  if (!notices || failure.code === 'no_session') return
  if (failure.code === 'not_found' && notices.gone !== undefined) {
    notice.settle(notices.failure)
    notice.success(notices.gone)
  } else notice.error(...failureOf(notices, failure))
}

/**
 * Returns what a notice of a failure shows: its sentence, the server's reason where it adds something, and what failed.
 */
export function failureOf(
  { failure, refusalAlone }: CallNotices,
  { status, message }: ApiError,
): [text: string, reason: string | undefined, about: string] {
  if (refusalAlone && status === 400) return [message, undefined, failure]
  return [failure, message, failure]
}

/**
 * Returns what the form shows of a failure: all of a silent call's, else only what the notice does not show, and that a
 * change may have been made, which the form still has to say once the notice is gone.
 */
export function atForm(notices: CallNotices | null, error: ApiError): SubmitError {
  const besideNotice = mayBeDone(error) ? MAY_BE_DONE : ''
  return { message: notices === null ? error.message : besideNotice, fields: error.errors }
}

const MAY_BE_DONE = 'This may have been done. Send it again: nothing is done twice.'

/** The notices of every call in a tree. A call that is missing here does not compile. */
type Spoken<Tree extends Calls> = {
  readonly [Key in keyof Tree]: Tree[Key] extends Call
    ? CallNotices<Tree[Key]> | null
    : Tree[Key] extends Calls
      ? Spoken<Tree[Key]>
      : never
}

/** The notices of a client deleted from a list. The admin's call deletes MACs too, and by default names the MAC. */
export const clientDeleted = {
  success: ({ name }: { name: string }) => `Successfully deleted client ${name}`,
  failure: 'Error deleting client. Please try again.',
}

/** Says that clients were renewed, which may have been done in several batches. */
export const clientsRenewed = ({ months, clients }: InputOf<typeof calls.clients.multirenew>) =>
  typeof months === 'number'
    ? `Successfully renewed ${months} month(s) for ${clients.length} clients`
    : `Successfully renewed ${counted(clients.length, 'client')}, each as last time`

/** Says that clients were moved, which may have been done in several batches. */
export const clientsMoved = ({ to }: { to: string }, { moved }: { moved: number }) =>
  `${counted(moved, 'client')} moved to ${to}`

const exporting: CallNotices = { success: null, failure: 'Error exporting. Please try again.' }
const thresholdSaved = {
  success: ({ below }: { below: number | null }) =>
    below === null ? 'Threshold removed' : 'Threshold saved',
  failure: 'Error saving the threshold. Please try again.',
}
const playlistRead: CallNotices<typeof calls.channels.fetch> = {
  success: (_, { held, channels }) =>
    held === null ? `${counted(channels, 'channel')} in use` : 'The playlist was held back',
  failure: 'Error reading the playlist. Please try again.',
}
const passwordChanged: CallNotices = {
  success: () => 'Password changed successfully!',
  failure: 'Error changing password. Please try again.',
  interrupted: () => 'Changing a password was interrupted. Please change it again.',
}

const desk: Spoken<typeof calls.desk.admin> = {
  transactions: silent,
  exportTransactions: exporting,
  message: silent,
  saveSettings: { success: () => 'Settings saved successfully', failure: 'Failed to save settings' },
}

function level(name: LevelName): Spoken<typeof calls.level.dealer> {
  const { title, inSentence } = levels[name]
  return {
    list: silent,
    create: {
      success: () => `${title} added successfully!`,
      failure: `Error adding ${title}. Please try again.`,
      interrupted: ({ login }) =>
        `Adding ${inSentence} ${login} was interrupted. Please look whether it is there.`,
    },
    detail: silent,
    history: silent,
    save: {
      success: () => `${title} updated successfully!`,
      failure: `Error updating ${inSentence}. Please try again.`,
      ...(name === 'dealer' && { refusalAlone: true }),
    },
    changePassword: passwordChanged,
  }
}

/** The error catalogue: the notices of every call, in the contract's own tree. */
const catalogue: Spoken<typeof calls> = {
  session: {
    captcha: silent,
    login: silent,
    logout: silent,
    user: silent,
    password: passwordChanged,
    savePreferences: { success: null, failure: 'Failed to save settings' },
    list: silent,
    end: {
      success: () => 'Session ended',
      failure: 'Error ending the session. Please try again.',
      gone: 'This session had ended already',
    },
    signIns: silent,
    users: silent,
  },
  desk: { admin: desk, superreseller: desk, reseller: desk, dealer: desk },
  credits: { superreseller: silent, reseller: silent, dealer: silent },
  level: { superreseller: level('superreseller'), reseller: level('reseller'), dealer: level('dealer') },
  transactions: { list: silent, sums: silent },
  tree: {
    list: silent,
    account: silent,
    growth: silent,
    password: passwordChanged,
    suspend: {
      success: ({ name }) => `${name} is suspended`,
      failure: 'Error suspending the account. Please try again.',
    },
    lift: {
      success: ({ name }) => `The suspension of ${name} is lifted`,
      failure: 'Error lifting the suspension. Please try again.',
    },
    move: {
      success: ({ name, to }) => `${name} was moved to ${to}`,
      failure: 'Error moving the account. Please try again.',
    },
    clients: silent,
    moveClients: {
      success: clientsMoved,
      failure: 'Error moving the clients. Please try again.',
    },
    close: {
      success: ({ name }) => `${name} is closed`,
      failure: 'Error closing the account. Please try again.',
    },
  },
  requests: {
    own: silent,
    ask: {
      success: ({ credits }) => `Asked for ${inCredits(credits)}`,
      failure: 'Error asking for credits. Please try again.',
    },
    withdraw: {
      success: () => 'Request withdrawn',
      failure: 'Error withdrawing the request. Please try again.',
    },
    list: silent,
    grant: {
      success: ({ credits }) => `Granted ${inCredits(credits)}`,
      failure: 'Error granting credits. Please try again.',
    },
    decline: {
      success: () => 'Request declined',
      failure: 'Error declining the request. Please try again.',
    },
  },
  lowBalance: { own: thresholdSaved, ofChild: thresholdSaved },
  clients: {
    list: silent,
    find: silent,
    detail: silent,
    history: silent,
    create: {
      success: (_, { name }) => `Client ${name} created successfully!`,
      failure: 'Error creating client. Please try again.',
      interrupted: ({ login }) =>
        `Creating client ${login} was interrupted. Please look whether it is there.`,
      refusalAlone: true,
    },
    save: {
      success: (_, { name }) => `Client ${name} updated successfully!`,
      failure: 'Error updating client. Please try again.',
      interrupted: ({ login }) =>
        `Updating client ${login} was interrupted. Please look whether it was done.`,
    },
    quote: silent,
    renew: {
      success: ({ months, name }) => `Successfully renewed ${months} month(s) for ${name}`,
      failure: 'Error renewing credits. Please try again.',
    },
    multirenew: {
      success: clientsRenewed,
      failure: 'Error renewing clients. Please try again.',
    },
    retrieve: {
      success: ({ credits }) => `Successfully retrieved ${credits} credits`,
      failure: 'Error retrieving credits. Please try again.',
    },
    remove: clientDeleted,
    multiquote: silent,
    multisave: {
      success: ({ clients: { length }, status }) =>
        status === undefined
          ? `Successfully changed the package of ${counted(length, 'client')}`
          : `Successfully switched ${counted(length, 'client')} ${status ? 'on' : 'off'}`,
      failure: 'Error updating clients. Please try again.',
    },
    multiremove: {
      success: ({ clients: { length } }) => `Successfully deleted ${counted(length, 'client')}`,
      failure: 'Error deleting clients. Please try again.',
    },
    reset: {
      success: () => 'Client reset successfully',
      failure: 'Error resetting client. Please try again.',
    },
    export: exporting,
    due: silent,
    dueClients: silent,
    forecast: silent,
    remind: {
      success: null,
      failure: 'Error noting the reminder. Please try again.',
    },
    spent: silent,
    trials: silent,
    macLastSeen: silent,
    deviceHistory: silent,
    tell: {
      success: ({ clients: names }) =>
        names.length === 1
          ? `The box of ${names[0]} gets it at its next poll`
          : `The boxes of ${counted(names.length, 'client')} get it at their next polls`,
      failure: 'Error reaching the boxes. Please try again.',
    },
    told: silent,
  },
  admin: {
    clients: silent,
    exportClients: exporting,
    searchMac: {
      success: null,
      failure: 'Error searching MAC. Please try again.',
      refusalAlone: true,
    },
    remove: {
      // After a reload it is not known that the list of all clients asked for it.
      success: ({ mac, name }) =>
        mac === null ? clientDeleted.success({ name }) : 'MAC address deleted successfully!',
      failure: 'Error deleting MAC. Please try again.',
      refusalAlone: true,
    },
    setMessage: { success: () => 'Message updated successfully', failure: 'Error updating message' },
    removeMessage: { success: () => 'Message removed successfully', failure: 'Error removing message' },
    totals: silent,
    statistics: silent,
    chart: silent,
  },
  boxes: { overview: silent, models: silent, unknown: silent },
  channels: {
    all: silent,
    giveAddress: playlistRead,
    giveFile: playlistRead,
    fetch: playlistRead,
    takeHeld: {
      success: () => 'The playlist is in use',
      failure: 'Error taking the playlist. Please try again.',
    },
    saveGroup: { success: null, failure: 'Error saving the group. Please try again.' },
    assign: {
      success: () => 'Packages saved',
      failure: 'Error saving the packages. Please try again.',
    },
    savePlayers: {
      success: () => 'Players saved',
      failure: 'Error saving the players. Please try again.',
    },
  },
  system: { state: silent, findings: silent },
  files: { download: silent },
}
