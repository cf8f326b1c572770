import { expect, test } from 'vitest'
import { PackageSelection } from './clients.ts'
import { PACKAGES, packageLabel } from './packages.ts'

test('the packages are those of the rules, by value', () => {
  expect(Object.fromEntries(PACKAGES.map(({ value, label }) => [value, label]))).toEqual({
    1: 'All Packages',
    7: 'All Packages/No Adults',
    2: 'English/Sports/Adults',
    13: 'English/Sports/No Adults',
    3: 'South Asian/Adults',
    4: 'South Asian/No Adults',
    5: 'Portuguese/Brazil',
    14: 'Portuguese/Brasil/Adults',
    15: 'Portuguese/Brasil/No Adults',
    16: 'Spanish/Adults',
    17: 'Spanish/No Adults',
    18: 'Latin/Portuguese/Italian/Spanish/Adults',
    19: 'Latin/Portuguese/Italian/Spanish/No Adults',
    20: 'Spanish/Portuguese/Italian/Adults',
    21: 'Spanish/Portuguese/Italian/No Adults',
    22: 'Caribbean/Adults',
    23: 'Caribbean/No Adults',
    24: 'Caribbean/South Asian/Adults',
    25: 'Caribbean/South Asian/No Adults',
    26: 'Ex Yugoslavia/Adults',
    27: 'Ex Yugoslavia/No Adults',
    28: 'Portuguese/Brasil/Italian/Spanish/Adults',
    32: 'Portuguese/Brasil/Italian/Spanish/No Adults',
    33: 'Italian/Adults',
    34: 'Italian/No Adults',
    35: 'Latino/Mexico/Spain/South America/Adults',
    36: 'Latino/Mexico/Spain/South America/No Adults',
    37: 'Arabic/Adults',
    38: 'Arabic/No Adults',
    39: 'Greek/Adults',
    40: 'Greek/No Adults',
    41: 'Polish/Romania/Ex Yugoslavia/Adults',
    42: 'Polish/Romania/Ex Yugoslavia/No Adults',
    43: 'French CA/African/French/Adults',
    44: 'French CA/African/French/No Adults',
    45: 'German/Adults',
    46: 'German/No Adults',
    47: 'Vietnamese/Korean/Chinese/Filipino/Adults',
    48: 'Vietnamese/Korean/Chinese/Filipino/No Adults',
    49: 'Hindi/Urdu/Punjabi/Adults',
    50: 'Hindi/Urdu/Punjabi/No Adults',
  })
})

test('the list has each value once, and any other value is refused', () => {
  const values = PACKAGES.map(({ value }) => value)
  expect(new Set(values).size).toBe(values.length)
  for (let value = -1; value <= 60; value += 1) {
    expect(PackageSelection.safeParse(value).success).toBe(values.includes(value))
    expect(packageLabel(value) !== undefined).toBe(values.includes(value))
  }
})
