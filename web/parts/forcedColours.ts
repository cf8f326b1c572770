/** A contrast theme of Windows, which replaces every background and removes every shadow. */
export const FORCED_COLOURS = '@media (forced-colors: active)'

/** The outline of what is chosen, or has the focus, in such a theme. */
export const CHOSEN = { outline: '2px solid', outlineOffset: -2 } as const

/** The edge of what such a theme would show without one: what floats has a shadow, and a button a background. */
export const EDGE = { border: '1px solid' } as const
