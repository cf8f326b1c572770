import { styled } from '@mui/material/styles'

/** What is seen while the session is brought back. */
export function Loading() {
  return <Middle role="status">Loading...</Middle>
}

const Middle = styled('div')(({ theme }) => ({
  display: 'grid',
  placeItems: 'center',
  minHeight: '100dvh',
  color: theme.palette.text.secondary,
}))
