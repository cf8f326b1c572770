/** Refs of the bars at the bottom of the window, behind which nothing that gets the focus is to lie. */
export const keepClear = { ofSelection: tells('--selection-bar', 16), ofOffline: tells('--offline-bar', 0) }

/** Tells the style sheet, by a property, how high a bar is together with the space around it. */
function tells(property: string, around: number) {
  return (bar: HTMLElement | null) => {
    if (!bar) return
    const { style } = document.documentElement
    const observer = new ResizeObserver(() => style.setProperty(property, `${bar.offsetHeight + around}px`))
    observer.observe(bar)
    return () => {
      observer.disconnect()
      style.removeProperty(property)
    }
  }
}
