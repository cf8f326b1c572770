import { styled } from '@mui/material/styles'

/** Words beside a table that say what is in it. */
export const Quiet = styled('span')(({ theme }) => ({ color: theme.palette.text.secondary }))
