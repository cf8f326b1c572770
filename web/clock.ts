import { useEffect, useReducer } from 'react'
import { keepText } from './parts/keepText.ts'

/** Returns the server's time, which every screen uses, even where the clock of the machine is wrong. */
export function now(): Date {
  return new Date(Date.now() + ahead())
}

/** Returns by how many milliseconds the server's time is ahead of the machine's. */
export function ahead(): number {
  offset ??= Number(localStorage.getItem(KEY)) || 0
  return offset
}

/** Returns the same time and renders the component again every `every` milliseconds. */
export function useNow(every = 60_000): Date {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, every)
    return () => clearInterval(timer)
  }, [every])
  return now()
}

/**
 * Sets the clock by the time in an answer. `asked` and `heard` are when the request began and the answer arrived, in
 * milliseconds.
 */
export function setClock(serverNow: string, asked: number, heard: number): void {
  measured = true
  keep(Date.parse(serverNow) - (asked + heard) / 2)
}

/** Sets the clock by the Date header, which is precise to a second, where an answer names no time. */
export function setClockRoughly(header: string | null, heard: number): void {
  const moment = header === null ? Number.NaN : Date.parse(header)
  if (measured || Number.isNaN(moment)) return
  const roughly = moment + 500 - heard
  // A difference below 1.5 seconds is within the header's precision.
  keep(Math.abs(roughly) < 1500 ? 0 : roughly)
}

// The offset survives a reload: without it, a wrong clock would make the stored session look expired.
const KEY = 'clock'

let measured = false
let offset: number | null = null

function keep(next: number) {
  if (!Number.isFinite(next)) return
  offset = next
  keepText(KEY, String(Math.round(next)))
}
