import { styled } from '@mui/material/styles'
import { Link } from 'react-router'

/** A link that stands by itself and not in a sentence: it is high enough to be clicked and touched. */
export const TouchLink = styled(Link)({
  display: 'inline-flex',
  alignItems: 'center',
  justifyContent: 'center',
  minWidth: 24,
  minHeight: 24,
  overflowWrap: 'anywhere',
  '@media (pointer: coarse)': { minWidth: 44, minHeight: 44 },
})
