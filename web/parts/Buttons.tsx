import { styled } from '@mui/material/styles'

/** Buttons beside each other, which fill their lines on a phone. */
export const Buttons = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  gap: 8,
  marginTop: 16,
  [theme.breakpoints.down('sm')]: { '& > *': { flex: '1 1 auto' } },
}))
