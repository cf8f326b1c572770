import { styled } from '@mui/material/styles'
import { TouchLink } from '../parts/TouchLink.tsx'
import { to } from '../screens.ts'

/** Leads a dealer whose balance is too small for something to asking for more. */
export function AskForMore() {
  return <InText to={to.creditRequests()}>Ask for credits</InText>
}

/** As high as its line for a mouse. */
const InText = styled(TouchLink)({ '@media (pointer: fine)': { margin: '-4px 0' } })
