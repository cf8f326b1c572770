import { styled } from '@mui/material/styles'

/** The cards of a page, stacked. */
export const Stack = styled('div')({
  display: 'grid',
  gap: 24,
  '& > *': { minWidth: 0 },
  // The height of the rows is unknown until they load, so cards below them stay hidden until then instead of moving.
  '& > :has([data-waiting=true]) ~ *': { visibility: 'hidden' },
})

/** Cards side by side where there is room, in columns of one width. */
export const Pair = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 336px), 1fr))',
  gap: 24,
})
