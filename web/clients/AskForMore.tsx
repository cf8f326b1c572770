import { styled } from '@mui/material/styles'
import { TouchLink } from '../parts/TouchLink.tsx'
import { to } from '../screens.ts'

/** Leads a dealer whose balance is too small for something to asking for more. */
export function AskForMore() {
  return <InText to={to.creditRequests()}>Ask for credits</InText>
}

/** With a mouse the link, which is higher than its line of text, takes no more room than that. */
const InText = styled(TouchLink)({ '@media (pointer: fine)': { margin: '-4px 0' } })
