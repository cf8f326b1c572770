/** The business's zone, in which every moment is shown; the session says which. */
export function zone(): string {
  return current
}

export function setZone(next: string): void {
  current = next
}

let current = 'UTC'
