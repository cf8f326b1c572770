/** Keeps a text in the browser for the next visit. A storage that is full fails nothing: this page knows it all the same. */
export function keepText(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // The next visit begins without it.
  }
}
