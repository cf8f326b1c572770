import { styled } from '@mui/material/styles'

/** Shown while the session is being restored. */
export function Loading() {
  return <Middle role="status">Loading...</Middle>
}

const Middle = styled('div')(({ theme }) => ({
  display: 'grid',
  placeItems: 'center',
  minHeight: '100dvh',
  color: theme.palette.text.secondary,
}))
