import { expect, test } from 'vitest'
import { type NewClientValues, newClientSchema } from './newClient.ts'

const GOOD: NewClientValues = {
  ministra: false,
  login: 'tv100',
  password: 'secret',
  desc: '',
  stb_mac: '00:1A:79:12:34:56',
  phone: '(416) 555-0199',
  months: 3,
  package_selection: 1,
}

test('the form of a new client turns valid values into the input of the call', async () => {
  expect(await judge(GOOD)).toEqual({ value: { ...GOOD, phone: '4165550199' } })
})

test.each<[Partial<NewClientValues>, string, string]>([
  [{ login: 'tv10' }, 'login', 'Login should be between 5 and 15 characters'],
  [{ login: 'a'.repeat(16) }, 'login', 'Login should be between 5 and 15 characters'],
  [{ password: '1234' }, 'password', 'Password should be between 5 and 15 characters'],
  [{ desc: 'x'.repeat(101) }, 'desc', 'Description cannot exceed 100 characters'],
  [{ stb_mac: '' }, 'stb_mac', 'MAC address should be 17 characters long'],
  [{ phone: '1234567890123456' }, 'phone', 'Phone number should be less than 15 characters'],
  [{ months: 12 }, 'months', 'You have 3 credits; this needs 12.'],
])('%j is refused at its field, in the words of the limit', async (change, field, message) => {
  expect(await messages({ ...GOOD, ...change })).toEqual({ [field]: message })
})

test('the form of a new client reports all invalid fields at once', async () => {
  const wrong = { ...GOOD, login: '', password: '', stb_mac: '00:1A:79:1', months: 4 }
  expect(Object.keys(await messages(wrong)).sort()).toEqual(['login', 'months', 'password', 'stb_mac'])
})

test('a Ministra client needs no MAC', async () => {
  expect(await judge({ ...GOOD, ministra: true, stb_mac: '00:1A' })).toMatchObject({
    value: { stb_mac: null },
  })
})

test('a new client on a trial costs nothing, and its price is not compared with an unknown balance', async () => {
  expect(await messages({ ...GOOD, months: '2d' }, 0)).toEqual({})
  expect(await messages({ ...GOOD, months: 12 }, null)).toEqual({})
})

function judge(values: NewClientValues, balance: number | null = 3) {
  return newClientSchema(balance)['~standard'].validate(values)
}

/** Returns the first message of each field, as the form shows it. */
async function messages(values: NewClientValues, balance?: number | null) {
  const { issues = [] } = await judge(values, balance)
  const said: Record<string, string> = {}
  for (const { path, message } of issues) said[String(path?.[0])] ??= message
  return said
}
