import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROLES } from '../contract/roles.ts'
import { everyScreen, menuOf, to } from './screens.ts'

const PAGES = join(import.meta.dirname, 'pages')

describe('every screen', () => {
  test.each(everyScreen)('is rendered by the component that its file in pages exports: $path', ({ page }) => {
    expect(readFileSync(join(PAGES, `${page}.tsx`), 'utf8')).toContain(`export function ${page}(`)
  })

  test('has an address of its own', () => {
    const addresses = everyScreen.map(({ path }) => path)
    expect(addresses).toEqual([...new Set(addresses)])
  })

  test.each(everyScreen)('is a menu item or belongs to one of the same roles: $path', (one) => {
    const item = one.under ?? one
    for (const role of one.roles) expect(menuOf(role)).toContain(item)
  })
})

test('every file in pages but the login belongs to a screen', () => {
  const pages = readdirSync(PAGES).map((name) => name.replace('.tsx', ''))
  expect(pages.sort()).toEqual(['Login', ...new Set(everyScreen.map(({ page }) => page))].sort())
})

test.each(ROLES)('the menu of the %s begins with the dashboard', (role) => {
  expect(menuOf(role)[0]?.path).toBe(to.home[role]())
})

test('a link contains the encoded name of its client or account, or the initial filter of its list', () => {
  expect(to.client('a/b c')).toBe('/update-client/a%2Fb%20c')
  expect(to.clients({ filter: 'expired' })).toBe('/clients?filter=expired')
  expect(to.clients()).toBe('/clients')
})
