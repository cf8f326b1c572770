import { styled } from '@mui/material/styles'
import { mono } from './faces.ts'

/** One line of text that ends in … where it must; the whole is shown on hover, focus and tap. */
export function Ellipsis({ text, identifier = false }: { text: string; identifier?: boolean | undefined }) {
  return (
    <Line data-hint={text} data-hint-cut="" style={identifier ? { fontFamily: mono } : undefined}>
      {text}
    </Line>
  )
}

const Line = styled('span')({
  display: 'block',
  minWidth: 0,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
})
