/**
 * Imports a part of the console once all of its files have come. The build calls it for each `import()`, see
 * vite.config.ts. Many browsers never ask again for a module that could not be fetched once, until the page is
 * reloaded. So a file has to fail here, where the next call asks for it again, and not in the import.
 * @param files the names of its scripts, without the leading slash
 * @throws Error where one could not be fetched, after an event `part-lost` of the window
 */
export async function importFetched<T>(importPart: () => Promise<T>, files: readonly string[]): Promise<T> {
  try {
    await Promise.all(files.map((file) => fetched(`/${file}`)))
    return await importPart()
  } catch (error) {
    window.dispatchEvent(new Event('part-lost'))
    throw error
  }
}

const known = new Map<string, Promise<unknown>>()

function fetched(href: string): Promise<unknown> {
  const asked = known.get(href) ?? (isInPage(href) ? Promise.resolve() : fetchScript(href))
  known.set(href, asked)
  asked.catch(() => known.delete(href))
  return asked
}

/** Whether the page has it already: those are the files of its first screen, without which there is no page. */
function isInPage(href: string): boolean {
  return document.querySelector(`link[href="${href}"]`) !== null
}

/** The browser keeps the script, so that the import asks nobody. */
async function fetchScript(href: string): Promise<void> {
  const response = await fetch(href)
  if (!response.ok) throw new Error(`${href} was answered with ${response.status}`)
  // Only a file that has come whole is kept.
  await response.arrayBuffer()
}
