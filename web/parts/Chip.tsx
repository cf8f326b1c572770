import './parts.css'
import type { CSSProperties, ReactNode } from 'react'
import type { Tone } from './tone.ts'

/** Shows a state as a word; its colour repeats the meaning. */
export function Chip({
  tone,
  children,
  hint,
}: {
  tone: Tone
  children: ReactNode
  hint?: string | undefined
}) {
  return (
    <span className="chip" style={shades[tone]} data-hint={hint}>
      {children}
    </span>
  )
}

const shades: Record<Tone, CSSProperties> = {
  good: shade('good'),
  warn: shade('warn'),
  bad: shade('bad'),
  special: shade('special'),
  plain: shade('plain'),
}

function shade(tone: Tone): CSSProperties & Record<`--${string}`, string> {
  return {
    '--tone': `var(--${tone})`,
    '--tone-fill': `var(--${tone}-fill)`,
    '--tone-line': `var(--${tone}-line)`,
  }
}
