import { expect, test } from 'vitest'
import { toRefusal } from './error-to-refusal.ts'

const refusalOf = (code: string) => toRefusal(Object.assign(new Error('of the database'), { code }))

test.each(['55P03', '57014'])('a database that took too long is not said to be out of reach: %s', (code) => {
  expect(refusalOf('08006').message).toMatch('cannot reach its database')
  expect(refusalOf('08006').bodyOf('1')).not.toHaveProperty('unchanged')
  expect(refusalOf(code).bodyOf('1')).toMatchObject({ unchanged: true })
  expect(refusalOf(code)).toMatchObject({
    ...{ code: 'unavailable', retryAfter: 60 },
    message: expect.stringMatching(/^The database took too long, so this try changed nothing/),
  })
})

test('a statement that needs more room than it may have is a fault of ours', () => {
  expect(refusalOf('53400')).toMatchObject({ code: 'internal' })
})
