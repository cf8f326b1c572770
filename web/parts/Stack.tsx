import { styled } from '@mui/material/styles'

/** The cards of a page, one beneath the other. */
export const Stack = styled('div')({ display: 'grid', gap: 24, '& > *': { minWidth: 0 } })
