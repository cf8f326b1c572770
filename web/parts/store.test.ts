import { expect, test, vi } from 'vitest'
import { storeOf } from './store.ts'

test('a store tells those who follow it of each change, and not of a value that it has already', () => {
  const store = storeOf('')
  const [stays, gone] = [vi.fn(), vi.fn()]
  store.subscribe(stays)
  store.subscribe(gone)()
  store.set('')
  expect(stays).not.toHaveBeenCalled()
  store.set('new')
  store.set('new')
  expect(store.get()).toBe('new')
  expect(stays).toHaveBeenCalledTimes(1)
  expect(gone).not.toHaveBeenCalled()
})
