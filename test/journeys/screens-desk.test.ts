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
  // With a selection it has every colour of a preset that a page has text in, or on.
  await page.goto('/clients')
  await expect(page.getByText('ana.ferreira').first()).toBeVisible()
  await page.getByLabel('Select this page').check()
  for (const mode of MODES) {
    for (const preset of Settings.shape.preset.options) {
      await turn(page, mode, preset)
      await expectAccessible(page, COLOUR_RULES)
    }
  }
})
