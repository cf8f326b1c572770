import './parts.css'

/** One line of text, cut with an ellipsis where it does not fit. Hover, focus or a tap shows all of it. */
export function Ellipsis({ text, identifier = false }: { text: string; identifier?: boolean | undefined }) {
  return (
    <span className={identifier ? 'ellipsis identifier' : 'ellipsis'} data-hint={text} data-hint-cut="">
      {text}
    </span>
  )
}
