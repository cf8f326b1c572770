import { expect, test } from 'vitest'
import { sms, whatsApp } from './contact.ts'

test.each([
  ['4165550123', 'https://wa.me/14165550123?text=Login%3A%20a%26b%0APassword%3A%20%231'],
  ['+351912345678', 'https://wa.me/351912345678?text=Login%3A%20a%26b%0APassword%3A%20%231'],
])('a text goes to the number %s with its country, and with every character', (phone, address) => {
  expect(whatsApp(phone, 'Login: a&b\nPassword: #1')).toBe(address)
})

test.each(['', '912345678', '0612345678', '551198765432100'])(
  'nothing can be sent to the number "%s"',
  (phone) => {
    expect(whatsApp(phone, 'text')).toBeNull()
    expect(sms(phone, 'text')).toBeNull()
  },
)
