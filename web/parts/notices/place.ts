/**
 * Where the notices are: outside of the page, because screen readers ignore a page that lies under a dialog. A dialog
 * that opens hides all other elements of the document from them, but none that cannot have `aria-hidden`, such as this.
 */
export const place = document.createElement('slot')

/**
 * Has the notices within that place, and is there before the first one: a screen reader tells of what comes into a
 * region that it knows, and may pass over one that comes together with its text. No notice is an alert within it, which
 * would be told twice.
 */
export const announced = document.createElement('div')
announced.setAttribute('aria-live', 'polite')
place.append(announced)
