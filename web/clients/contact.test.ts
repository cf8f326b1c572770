import { expect, test } from 'vitest'
import { sms, whatsApp } from './contact.ts'

test.each([
  ['4165550123', '14165550123'],
  ['+351912345678', '351912345678'],
])('a text goes to the number %s with its country, and with every character', (phone, digits) => {
  const [text, encoded] = ['Login: a&b\nPassword: #1', 'Login%3A%20a%26b%0APassword%3A%20%231']
  expect(whatsApp(phone, text)).toBe(`https://wa.me/${digits}?text=${encoded}`)
  expect(sms(phone, text)).toBe(`sms:+${digits}?body=${encoded}`)
})

test.each(['', '912345678', '0612345678', '551198765432100'])(
  'nothing can be sent to the number "%s"',
  (phone) => {
    expect(whatsApp(phone, 'text')).toBeNull()
    expect(sms(phone, 'text')).toBeNull()
  },
)
