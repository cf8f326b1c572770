import { styled } from '@mui/material/styles'

/** The cards of a page, one beneath the other. */
export const Stack = styled('div')({
  display: 'grid',
  gap: 24,
  '& > *': { minWidth: 0 },
  // How high rows will be is not known before they come: what stands beneath them is shown with them, in its place.
  '& > :has([data-waiting=true]) ~ *': { visibility: 'hidden' },
})
