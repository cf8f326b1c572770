import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import { suiteWorld } from '../../test/support/world.ts'

const { setMessage, removeMessage } = calls.admin

const world = await suiteWorld()
const everybody = [world.admin, ...Object.values(await world.family())]

/** Returns the message that each of the four roles reads by its own call. */
async function read(): Promise<string[]> {
  const messages = await Promise.all(everybody.map((person) => person.call(calls.desk[person.role].message)))
  return messages.map(({ message }) => message)
}

describe('the broadcast message', () => {
  test('is empty until there is one', async () => {
    expect(await read()).toEqual(['', '', '', ''])
  })

  test('reaches every role as it was typed, and replaces the message before it', async () => {
    for (const message of ['Maintenance on Sunday', '<script>alert(1)</script>\n\tLine two — ça va 👋']) {
      expect(await world.admin.call(setMessage, { message })).toEqual({ status: 'OK' })
      expect(await read()).toEqual([message, message, message, message])
    }
  })

  test('is empty after its removal, which may be repeated', async () => {
    await world.admin.call(setMessage, { message: 'Soon gone' })
    for (let times = 0; times < 2; times += 1) await world.admin.call(removeMessage)
    expect(await read()).toEqual(['', '', '', ''])
  })

  test('is not removed where another one has replaced the one that was sent', async () => {
    const [seen, newer] = ['Seen', 'Written since']
    await world.admin.call(setMessage, { message: newer })
    const { message } = await world.admin.refused('changed_since', removeMessage, { message: seen })
    expect(message).toBe('Another message has replaced this one. Please look at it first.')
    expect(await read()).toEqual([newer, newer, newer, newer])
    for (let times = 0; times < 2; times += 1) await world.admin.call(removeMessage, { message: newer })
    expect(await read()).toEqual(['', '', '', ''])
  })

  test('is not removed with the one before it, where it is written while that is being removed', async () => {
    await world.admin.call(setMessage, { message: 'Seen' })
    const end = await holdOpen(world.server.ownerSql, async (sql) => {
      await sql`delete from broadcast`
      await sql`insert into broadcast (message) values ('Written since')`
    })
    const removal = world.admin.call(removeMessage, { message: 'Seen' })
    await somebodyWaits(world.server.sql)
    await end()
    expect(await removal).toEqual({ status: 'OK' })
    expect(await read()).toEqual(everybody.map(() => 'Written since'))
  })

  test.each(['', ' ', '\n\t ', 'x'.repeat(2_001), 'nul\0', 'half of a pair \ud83d'])(
    'cannot be %j',
    async (message) => {
      const { errors } = await world.admin.refused('invalid_input', setMessage, { message })
      expect(errors).toHaveProperty('message')
    },
  )

  test('has at most 2,000 characters', async () => {
    await world.admin.call(setMessage, { message: 'é'.repeat(2_000) })
  })
})
