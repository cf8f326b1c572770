import { styled } from '@mui/material/styles'

/** The frame around what a change would take, or whom it leaves out. */
export const Warning = styled('div')(({ theme }) => ({
  padding: '8px 16px',
  borderRadius: 8,
  color: theme.palette.tones.warn.text,
  background: theme.palette.tones.warn.fill,
  '&:empty': { display: 'none' },
  '& p': { maxHeight: 120, overflowY: 'auto' },
}))
