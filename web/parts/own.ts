/** Options of `styled` for props that only the style reads: the element beneath does not get them. */
export function own(...props: readonly string[]) {
  return { shouldForwardProp: (name: string) => !props.includes(name) }
}
