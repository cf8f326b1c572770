import { expect } from '../support/browser.ts'
import { expectNothingMoves } from '../support/shifts.ts'
import { test } from './business.ts'
import { DESK, PHONE, PICTURES, screen, screens } from './gallery.ts'

/**
 * The walk through all screens holds each to this at two widths, with what was asked for last answered first: then what
 * loads above something else comes last, and would push that down. Pictures take time for more.
 */
const LOOKS = PICTURES ? [DESK.look, PHONE.look, { width: 768 }, { width: 1100 }] : []

for (const look of LOOKS) {
  for (const answered of ['last', 'first'] as const) {
    test.for(screens)(
      `$name moves nothing while its data comes, ${look.width} wide and asked for ${answered}, answered first`,
      async (screen, { windowOf }) => {
        const page = await windowOf(screen.as, look)
        await expectNothingMoves(page, screen, answered)
      },
    )
  }
}

test.for(['login', 'dealer clients'].map(screen))(
  '$name moves nothing where its font comes late',
  async (screen, { windowOf }) => {
    // A window that has shown a screen has the font.
    const page = await windowOf(screen.as, { ...PHONE.look, scale: 1.5 })
    let late = 0
    await page.route('**/*.woff2', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400))
      late += 1
      await route.continue()
    })
    await expectNothingMoves(page, screen, 'last')
    expect(late).toBe(1)
  },
)
