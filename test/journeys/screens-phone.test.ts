import { expect, expectNothingLost, expectTargets } from '../support/browser.ts'
import { test } from './business.ts'
import { PHONE, resize, screen, walkScreens } from './gallery.ts'

// In a file of its own, because the gallery is the longest of all journeys and files run side by side.
walkScreens(PHONE)

/** Those of the screens whose rows have buttons. */
const WITH_ROW_BUTTONS = [
  'admin all clients',
  'admin channels',
  'admin boxes',
  'dealer clients',
  'dealer due',
  'dealer sign-ins',
  'reseller credit requests',
]

test.for(WITH_ROW_BUTTONS)(
  '%s cuts no button off on a tablet, upright or not',
  async (name, { windowOf }) => {
    const { as, at, shows } = screen(name)
    const page = await windowOf(as, { width: 1025, touch: true })
    await page.goto(at)
    await expect(page.getByText(shows).first()).toBeVisible()
    for (const width of [667, 768, 1025, 1366]) {
      await resize(page, width)
      await expectNothingLost(page)
      await expectTargets(page, PHONE.least)
    }
  },
)
