import { expect, test } from 'vitest'
import { type Act, type ChosenState, sortFor } from './chosenAct.ts'

const client = (name: string, more: Partial<ChosenState> = {}): ChosenState => ({
  name,
  expiry: '2026-06-15T23:59:59.000Z',
  expired: false,
  status: true,
  package_selection: 1,
  ...more,
})
const DATA = [client('on'), client('off', { status: false }), client('gone', { expired: true })]

function namesFor(act: Act, chosenPackage?: number) {
  const { acted, same, leftOut } = sortFor(act, DATA, chosenPackage)
  return [acted, same, leftOut].map((some) => some.map(({ name }) => name))
}

test('a deletion leaves out the clients that have not expired', () => {
  expect(namesFor('delete')).toEqual([['gone'], [], ['on', 'off']])
})

test('any other change leaves out the expired clients, and knows whom it changes nothing for', () => {
  expect(namesFor('on')).toEqual([['on', 'off'], ['on'], ['gone']])
  expect(namesFor('off')).toEqual([['on', 'off'], ['off'], ['gone']])
  expect(namesFor('package', 1)).toEqual([['on', 'off'], ['on', 'off'], ['gone']])
  expect(namesFor('package', 2)).toEqual([['on', 'off'], [], ['gone']])
})
