/** Returns the business's time zone, which the session names and every date is shown in. */
export function zone(): string {
  return current
}

export function setZone(next: string): void {
  current = next
}

let current = 'UTC'
