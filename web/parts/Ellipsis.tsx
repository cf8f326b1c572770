import './parts.css'

/** One line of text that ends in … where it must; the whole is shown on hover, focus and tap. */
export function Ellipsis({ text, identifier = false }: { text: string; identifier?: boolean | undefined }) {
  return (
    <span className={identifier ? 'ellipsis identifier' : 'ellipsis'} data-hint={text} data-hint-cut="">
      {text}
    </span>
  )
}
