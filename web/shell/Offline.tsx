import { styled } from '@mui/material/styles'
import { WifiOff } from 'lucide-react'
import { useEffect } from 'react'
import { probe } from '../calls/api.ts'
import { connection } from '../calls/connection.ts'
import { At } from '../moments.tsx'
import { keepClear } from '../parts/keepClear.ts'
import { Spinner } from '../parts/Spinner.tsx'
import { UNPRINTED } from '../parts/unprinted.ts'
import { useDelayed } from '../parts/useDelayed.ts'

/** A banner that is shown while the server cannot be reached. */
export function Offline() {
  const lost = connection.lost.use()
  const asOf = connection.asOf.use()
  const late = useDelayed(lost)
  useProbe(lost)
  return (
    <div role="status">
      {late && (
        <Banner ref={keepClear.ofOffline}>
          <WifiOff aria-hidden size={18} />
          <span>
            <b>The connection to Boxtree is lost.</b> Trying to reach it; nothing is sent twice.
            {asOf && (
              <>
                {' '}
                What is shown is as of <At iso={asOf} />.
              </>
            )}
          </span>
          <Spinner />
        </Banner>
      )}
    </div>
  )
}

/** How often the server is probed. */
const PROBED_EVERY_MS = 3_000

function useProbe(lost: boolean) {
  useEffect(() => {
    if (!lost) return
    let isProbing = false
    const probeAgain = async () => {
      if (isProbing) return
      isProbing = true
      await probe()
      isProbing = false
    }
    const timer = setInterval(probeAgain, PROBED_EVERY_MS)
    window.addEventListener('online', probe)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', probe)
    }
  }, [lost])
}

const Banner = styled('p')(({ theme }) => ({
  position: 'fixed',
  zIndex: theme.zIndex.snackbar,
  insetInline: 0,
  bottom: 0,
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'center',
  gap: 12,
  padding: '12px 16px',
  borderTop: `1px solid ${theme.palette.tones.warn.line}`,
  background: theme.palette.tones.warn.fill,
  color: theme.palette.text.primary,
  '& svg, & span:last-of-type': { flex: 'none' },
  '& svg': { color: theme.palette.tones.warn.text },
  ...UNPRINTED,
}))
