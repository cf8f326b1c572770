import { styled } from '@mui/material/styles'
import { Skeleton } from './Skeleton.tsx'

/** The cards of a page, stacked. */
export const Stack = styled('div')({
  display: 'grid',
  gap: 24,
  '& > *': { minWidth: 0 },
  // The height of the rows is unknown until they load, so cards below them stay hidden until then instead of moving.
  '& > :has([data-waiting=true]) ~ *': { visibility: 'hidden' },
})

/** Stands in a card for what takes any height: the cards beneath wait for it. */
export function Awaited({ height }: { height: number }) {
  return (
    <span data-waiting>
      <Skeleton width={260} height={height} />
    </span>
  )
}

/** Cards side by side where there is room, in columns of one width. */
export const Pair = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 336px), 1fr))',
  gap: 24,
})
