/** Fetches the file that a ticket stands for; the browser shows how far it is, and keeps the page as it is. */
export function download(ticket: string): void {
  const link = document.createElement('a')
  link.href = `/v1/exports/${ticket}`
  link.download = ''
  link.click()
}
