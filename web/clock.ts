import { useEffect, useReducer } from 'react'

/** The server's "now", which every screen goes by, whatever the machine's own clock says. */
export function now(): Date {
  offset ??= Number(localStorage.getItem(KEY)) || 0
  return new Date(Date.now() + offset)
}

/** The same inside a component, which is drawn anew every `every` milliseconds. */
export function useNow(every = 60_000): Date {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, every)
    return () => clearInterval(timer)
  }, [every])
  return now()
}

/** Sets the clock by a moment that an answer named; it was true halfway between asking and hearing (milliseconds). */
export function setClock(serverNow: string, asked: number, heard: number): void {
  measured = true
  keep(Date.parse(serverNow) - (asked + heard) / 2)
}

/** Sets the clock by an answer's Date header, which knows only whole seconds, where nothing better is known. */
export function setClockRoughly(header: string | null, heard: number): void {
  const moment = header === null ? Number.NaN : Date.parse(header)
  if (measured || Number.isNaN(moment)) return
  const roughly = moment + 500 - heard
  // Within what a header can tell, the clocks agree.
  keep(Math.abs(roughly) < 1500 ? 0 : roughly)
}

// Kept over a reload, so that a machine whose clock is wrong does not find its saved session expired.
const KEY = 'clock'

let measured = false
let offset: number | null = null

function keep(next: number) {
  if (!Number.isFinite(next)) return
  offset = next
  localStorage.setItem(KEY, String(Math.round(next)))
}
