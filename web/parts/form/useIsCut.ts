import { useLayoutEffect, useRef, useState } from 'react'

/** Returns whether a list is too narrow for its chosen label. A list itself does not tell that its text is cut off. */
export function useIsCut(label: string) {
  const list = useRef<HTMLSelectElement>(null)
  const [isCut, setIsCut] = useState(false)
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const observer = new ResizeObserver(() => setIsCut(widthOf(label, element) > roomIn(element)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [label])
  return { list, isCut }
}

function widthOf(text: string, element: Element): number {
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) return 0
  pen.font = getComputedStyle(element).font
  return pen.measureText(text).width
}

function roomIn(list: HTMLSelectElement): number {
  return list.clientWidth - Number.parseFloat(getComputedStyle(list).paddingRight)
}
