import './parts.css'

/**
 * One line of text, cut with an ellipsis at its end where it does not fit; a text in Arabic or Hebrew ends at the left.
 * Hover, focus or a tap shows all of it.
 */
export function Ellipsis({ text, identifier = false }: { text: string; identifier?: boolean | undefined }) {
  return (
    <span
      className={identifier ? 'ellipsis identifier' : 'ellipsis'}
      dir={identifier ? undefined : 'auto'}
      data-hint={text}
      data-hint-cut=""
    >
      {text}
    </span>
  )
}
