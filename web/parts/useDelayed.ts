import { useEffect, useState } from 'react'

/** Returns true once `waiting` has lasted `ms`, so that short waits show no sign of loading. */
export function useDelayed(waiting: boolean, ms = 200): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!waiting) return setLate(false)
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [waiting, ms])
  return waiting && late
}
