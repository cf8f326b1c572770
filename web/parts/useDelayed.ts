import { useEffect, useState } from 'react'

/** True once `waiting` has lasted `ms`: what is quick shows no sign of waiting, so nothing flickers. */
export function useDelayed(waiting: boolean, ms = 200): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    if (!waiting) return setLate(false)
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [waiting, ms])
  return waiting && late
}
