import { expect, test } from 'vitest'
import { edited, type Mask, macMask, phoneMask } from './masks.ts'

const mac = macMask('00:1A:79')

/** Types one key after another into an empty field. */
function type(mask: Mask, keys: string) {
  let [value, caret] = ['', 0]
  for (const key of keys) {
    const raw = value.slice(0, caret) + key + value.slice(caret)
    ;({ value, caret } = edited(mask, value, raw, caret + 1))
  }
  return value
}

const paste = (mask: Mask, text: string, before = '') => edited(mask, before, text, text.length).value

test.each([
  '001A79ABCDEF',
  '00-1a-79-ab-cd-ef',
  '00:1A:79:AB:CD:EF',
  '001a.79ab.cdef',
  ' ab:cd:ef ',
  'ABCDEF',
])('the MAC %s may be pasted', (text) => expect(paste(mac, text)).toBe('00:1A:79:AB:CD:EF'))

test('a paste over a whole address takes its place', () => {
  expect(paste(mac, '001A79112233', '00:1A:79:AB:CD:EF')).toBe('00:1A:79:11:22:33')
})

test('an address of another maker is refused, not cut short into one of ours', () => {
  expect(paste(mac, 'AA:BB:CC:DD:EE:FF')).toBe('')
})

test('separators come by themselves, and what does not belong stays out', () => {
  expect(type(mac, 'a1z:b2c3d4')).toBe('00:1A:79:A1:B2:C3')
  expect(type(phoneMask, '0416x5550199')).toBe('(416) 555-0199')
})

test('a digit typed in the middle moves the rest, and the caret stays behind it', () => {
  expect(edited(mac, '00:1A:79:A1', '00:1A:79:FA1', 10)).toEqual({ value: '00:1A:79:FA:1', caret: 10 })
})

test('backspace over a separator takes the digit before it', () => {
  expect(edited(mac, '00:1A:79:A1:B2', '00:1A:79:A1B2', 11)).toEqual({ value: '00:1A:79:AB:2', caret: 10 })
})

test('the fixed bytes cannot be taken away, and an empty field is empty', () => {
  expect(edited(mac, '00:1A:79:A1', '00:1:79:A1', 4).value).toBe('00:1A:79:A1')
  expect(edited(mac, '00:1A:79:A', '00:1A:79:', 9)).toEqual({ value: '', caret: 0 })
})

test('a phone number is read with or without its country and marks', () => {
  expect(paste(phoneMask, '+1 (416) 555-0199')).toBe('(416) 555-0199')
  expect(paste(phoneMask, '416.555.0199')).toBe('(416) 555-0199')
})
