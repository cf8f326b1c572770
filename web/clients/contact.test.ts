import { expect, test } from 'vitest'
import { whatsApp, whyNoNumber } from './contact.ts'

test.each([
  ['4165550123', 'https://wa.me/14165550123?text=Login%3A%20a%26b%0APassword%3A%20%231'],
  ['+351912345678', 'https://wa.me/351912345678?text=Login%3A%20a%26b%0APassword%3A%20%231'],
])('a text goes to the number %s with its country, and with every character', (phone, address) => {
  expect(whatsApp(phone, 'Login: a&b\nPassword: #1')).toBe(address)
  expect(whyNoNumber(phone)).toBeUndefined()
})

test.each([
  ['', 'This client has no phone number'],
  ['912345678', 'Type the number with + and its country'],
  ['551198765432100', 'Type the number with + and its country'],
])('nothing is offered for the number "%s", and the button says why', (phone, why) => {
  expect(whatsApp(phone, 'text')).toBeNull()
  expect(whyNoNumber(phone)).toBe(why)
})
