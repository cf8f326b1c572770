import { describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { LIST } from '../../../test/support/exports.ts'
import { textsOf } from '../../../test/support/pdf.ts'
import { suiteWorld } from '../../../test/support/world.ts'

const { clients } = calls

const world = await suiteWorld()

describe('a PDF of clients', () => {
  test('embeds its own font, and is intact whatever text it shows', async () => {
    const { dealer } = await world.family({ credits: 1 })
    for (const desc of [
      '<script>alert(1)</script>',
      '(unbalanced \\ ) >> endstream',
      "=cmd|'/C calc'!A0",
      'Ђорђе Ψυχή Żółć 日本',
      'x'.repeat(100),
    ]) {
      await world.client(dealer, { desc })
    }
    const { ticket } = await dealer.call(clients.export, { ...LIST, format: 'pdf' })
    const response = await fetch(`${world.server.url}/v1/exports/${ticket}`)
    expect(response.headers.get('content-type')).toBe('application/pdf')
    expect(response.headers.get('content-disposition')).toMatch(/boxtree-clients-.*\.pdf/)
    const file = Buffer.from(await response.arrayBuffer())
    const text = file.toString('latin1')
    expect(text).toMatch(/^%PDF-1\.\d[\s\S]*%%EOF\s*$/)
    expect(text).toContain('DejaVuSansCondensed')
    expect(text.match(/\/Type \/Page\b/g)).toHaveLength(1)
    // Shown letter for letter, and nothing that a reader would run, open or follow.
    expect(textsOf(file)).toEqual(
      expect.arrayContaining([
        '<script>alert(1)</script>',
        '(unbalanced \\ ) >> endstream',
        "=cmd|'/C calc'!A0",
      ]),
    )
    // The box for a letter that the font lacks is as wide as was measured, so that it covers no other column.
    expect(text).toMatch(/\/W \[0 \[540\./)
    expect(text).not.toMatch(/\/(JS|JavaScript|OpenAction|AA|URI|Launch|EmbeddedFile|Annots|AcroForm)\b/)
  })

  test('has its number and the number of all pages on each page', async () => {
    const { dealer } = await world.family()
    await world.plantClients(dealer, { prefix: 'page', last: 230, digits: 8, description: 'one line' })
    const { ticket } = await dealer.call(clients.export, { ...LIST, format: 'pdf' })
    const response = await fetch(`${world.server.url}/v1/exports/${ticket}`)
    const file = Buffer.from(await response.arrayBuffer())
    const pages = file.toString('latin1').match(/\/Type \/Page\b/g)?.length
    expect(pages).toBe(11)
    const texts = textsOf(file)
    for (let page = 1; page <= 11; page += 1) expect(texts).toContain(`Page ${page} of 11`)
    for (const name of ['page00000001', 'page00000230']) expect(texts).toContain(name)
    for (const column of ['Phone', 'Package', 'Created', 'Expiry State']) expect(texts).toContain(column)
    expect(texts).toContain('All Packages')
    expect(texts.some((text) => text.endsWith(': 230 in all'))).toBe(true)
  })

  test('has every client that it counts, and no other, though more are made meanwhile', async () => {
    const { dealer } = await world.family()
    const plant = (first: number, last: number) =>
      world.plantClients(dealer, { prefix: 'all', first, last, digits: 8 })
    await plant(1, 6_000)
    let isMade = false
    const others = (async () => {
      for (let next = 6_001; !isMade; next += 1) await plant(next, next)
    })()
    const { ticket } = await dealer.call(clients.export, { ...LIST, format: 'pdf' })
    const response = await fetch(`${world.server.url}/v1/exports/${ticket}`)
    const file = Buffer.from(await response.arrayBuffer())
    isMade = true
    await others
    const texts = textsOf(file)
    const names = texts.filter((text) => /^all\d{8}$/.test(text))
    expect(names.length).toBeGreaterThanOrEqual(6_000)
    expect(texts.find((text) => text.endsWith(' in all'))).toMatch(
      `: ${names.length.toLocaleString('en-US')} in all`,
    )
  })
})
