import { styled } from '@mui/material/styles'

/** The cards of a page, stacked. */
export const Stack = styled('div')({
  display: 'grid',
  gap: 24,
  '& > *': { minWidth: 0 },
  // The height of the rows is unknown until they load, so cards below them stay hidden until then instead of moving.
  '& > :has([data-waiting=true]) ~ *': { visibility: 'hidden' },
})

/** Cards side by side where there is room, in columns of one width, which is `least` or more. */
export const Pair = styled('div', { shouldForwardProp: (name) => name !== 'least' })<{ least?: number }>(
  ({ least = 320 }) => ({
    display: 'grid',
    gridTemplateColumns: `repeat(auto-fit, minmax(min(100%, ${least}px), 1fr))`,
    gap: 24,
  }),
)
