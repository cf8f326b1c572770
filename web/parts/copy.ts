/**
 * Copies text, and returns whether it could. Browsers offer the clipboard to pages with HTTPS alone; on others the text
 * is selected in a field that nobody sees, and copied from there.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.style.cssText = 'position: fixed; opacity: 0'
  // A dialog takes the focus back from whatever is outside of it, also while only the frame around it has the focus.
  const place = focused?.closest(DIALOG) ?? [...document.querySelectorAll(DIALOG)].at(-1) ?? document.body
  place.append(field)
  field.focus({ preventScroll: true })
  field.select()
  // What has the focus is copied, and nothing is no failure to the browser.
  const isCopied = document.activeElement === field && document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

/** An open dialog: one that is closing is inert. */
const DIALOG = ':is([role=dialog], [role=alertdialog]):not([inert])'
