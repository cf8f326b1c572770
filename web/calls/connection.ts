import { storeOf } from '../parts/store.ts'

/** Whether the connection to the server is lost, and how old what is shown meanwhile is. */
export const connection = {
  /** Is set after each request, by `api.ts` alone. */
  lost: storeOf(false),
  /** The moment of the oldest answer that is shown without a connection; empty with one, and where none is shown. */
  asOf: storeOf(''),
}
