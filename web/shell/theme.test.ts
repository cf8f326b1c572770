import { describe, expect, test } from 'vitest'
import { contrast } from './colour.ts'
import { accentOf, grounds, type Mode, makeTheme, presets, tonesOf, unknownPreset } from './theme.ts'

const modes: Mode[] = ['light', 'dark']
const names = [...Object.keys(presets), 'no such preset']

describe.each(modes)('in %s mode', (mode) => {
  const { paper, background, ink, quiet } = grounds[mode]

  test('normal and quiet text have a contrast of 4.5', () => {
    for (const text of [ink, quiet]) {
      for (const ground of [paper, background]) expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5)
    }
  })

  test.each(names)(
    '%s has enough contrast as a fill, when hovered, as a link and as a selected item',
    (preset) => {
      const accent = accentOf(mode, preset)
      for (const [text, ground] of [
        [accent.onMain, accent.main],
        [accent.onMain, accent.hover],
        [accent.text, paper],
        [accent.text, background],
        [accent.text, accent.fill],
        [ink, accent.fill],
        [quiet, accent.fill],
      ] as const) {
        expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
      }
    },
  )

  test.each(Object.entries(tonesOf(mode)))(
    'the tone %s has enough contrast on paper, background and chip',
    (_name, tone) => {
      for (const ground of [paper, background, tone.fill]) {
        expect(contrast(tone.text, ground)).toBeGreaterThanOrEqual(4.5)
      }
    },
  )

  test('the border of a field has a contrast of 3', () => {
    const { edge } = makeTheme(mode, 'blue').palette
    expect(Math.min(contrast(edge, paper), contrast(edge, background))).toBeGreaterThanOrEqual(3)
  })

  test('the theme does not change the preset colours', () => {
    for (const [name, colour] of Object.entries(presets)) {
      expect(makeTheme(mode, name).palette.primary.main).toBe(colour)
    }
    expect(makeTheme(mode, 'mauve').palette.primary.main).toBe(unknownPreset)
  })
})
