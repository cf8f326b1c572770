import { storeOf } from '../parts/store.ts'

/** Whether the connection to the server is lost, and how old what is shown meanwhile is. */
export const connection = {
  /** Is set after each request, by `api.ts` alone. */
  lost: storeOf(false),
  /** The moment at which what is shown without a connection was answered; empty where it was answered on this page. */
  asOf: storeOf(''),
}
