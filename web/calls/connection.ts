/** Whether the connection to the server is lost, and how old what is shown meanwhile is. */
export const connection = {
  isLost: () => lost,
  /** Is called after each request, by `api.ts` alone. */
  setLost(next: boolean): void {
    if (lost === next) return
    lost = next
    tell()
  },
  /** The moment at which what is shown without a connection was answered; empty where it was answered on this page. */
  asOf: () => asOf,
  setAsOf(moment: string): void {
    if (asOf === moment) return
    asOf = moment
    tell()
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

let lost = false
let asOf = ''
const listeners = new Set<() => void>()

function tell() {
  for (const listener of listeners) listener()
}
