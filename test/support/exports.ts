import { expect } from 'vitest'
import { calls } from '../../contract/calls.ts'
import type { Person, World } from './world.ts'

export const LIST = { format: 'csv', search: '', sort: 'name', order: 'asc', filter: 'all' } as const

/** Returns how somebody fetches the files of a world. */
export function filesOf(world: World) {
  async function fetchFile(ticket: string) {
    return world.nobody().fetch('GET', `/v1/exports/${ticket}`)
  }

  async function csvOf(person: Person, more: object = {}): Promise<string[][]> {
    const call = person.role === 'admin' ? calls.admin.exportClients : calls.clients.export
    const { ticket } = await person.call(call, { ...LIST, ...more })
    const { status, text } = await fetchFile(ticket)
    expect(status).toBe(200)
    return parse(text)
  }

  return { fetchFile, csvOf }
}

/** Reads RFC 4180, in which every cell that is not empty is quoted here. */
export function parse(csv: string): string[][] {
  expect(csv.endsWith('\r\n')).toBe(true)
  return csv
    .slice(0, -2)
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|)/g)].map(([, cell]) =>
        (cell ?? '').replaceAll('""', '"'),
      ),
    )
}
