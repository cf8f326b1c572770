import { styled } from '@mui/material/styles'

/** The cards of a page, stacked. */
export const Stack = styled('div')({
  display: 'grid',
  gap: 24,
  '& > *': { minWidth: 0 },
  // The height of the rows is unknown until they load, so cards below them stay hidden until then instead of moving.
  '& > :has([data-waiting=true]) ~ *': { visibility: 'hidden' },
})
