import { expect, test } from 'vitest'
import { macMask, phoneMask } from './masks.ts'

const mac = macMask('00:1A:79')

test.each([
  '001A79ABCDEF',
  '00-1a-79-ab-cd-ef',
  '00:1A:79:AB:CD:EF',
  '001a.79ab.cdef',
  ' ab:cd:ef ',
  'ABCDEF',
])('the MAC %s is read as its last six digits', (pasted) => expect(mac.clean(pasted)).toBe('ABCDEF'))

test('an address of another maker is refused, not cut short into one of ours', () => {
  expect(mac.clean('AA:BB:CC:DD:EE:FF')).toBe('')
})

test('a phone number is read with or without its country and marks', () => {
  expect(phoneMask.clean('+1 (416) 555-0199')).toBe('4165550199')
  expect(phoneMask.clean('416.555.0199')).toBe('4165550199')
})
