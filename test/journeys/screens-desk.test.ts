import { Settings } from '../../contract/appearance.ts'
import { everyScreen } from '../../web/screens.ts'
import { expect, expectAccessible, turn } from '../support/browser.ts'
import { test } from './business.ts'
import { COLOUR_RULES, DESK, MODES, screens, walkScreens } from './gallery.ts'

test('the gallery has every screen as each of its roles sees it', () => {
  const pictured = screens.map(({ as, at }) => `${as} ${at}`)
  for (const { path, roles } of everyScreen) {
    for (const role of roles) {
      const picture = new RegExp(`^${role} ${path.replace(':name', '[^/]+')}$`)
      expect(pictured).toContainEqual(expect.stringMatching(picture))
    }
  }
})

walkScreens(DESK)

test('text has enough contrast in every preset and both modes', async ({ windowOf }) => {
  const page = await windowOf('dealer', DESK.look)
  for (const [path, shows] of [
    ['/', 'joao.silva'],
    ['/clients', 'ana.ferreira'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByText(shows).first()).toBeVisible()
    if (path !== '/') await page.getByLabel('Select this page').check()
    for (const mode of MODES) {
      for (const preset of Settings.shape.preset.options) {
        await turn(page, mode, preset)
        await expectAccessible(page, COLOUR_RULES)
      }
    }
  }
})
