import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { connect as secureConnect } from 'node:tls'
import { expect, test } from 'vitest'
import { isLost, isOutage } from './errors.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ECONNREFUSED', 'CONNECT_TIMEOUT', '57P01', '25006'])(
  'after %s a statement may be tried again, and the call is answered as in an outage',
  (code) => {
    expect([isLost, isOutage].map((says) => says(withCode(code)))).toEqual([true, true])
  },
)

test.each(['53100', '55P03', '57014', '40001'])(
  'after %s the call is answered as in an outage, but no statement is tried again',
  (code) => {
    expect([isLost, isOutage].map((says) => says(withCode(code)))).toEqual([false, true])
  },
)

test('a missing file is no outage of the database, a missing socket is one', async () => {
  let ofFile: unknown
  try {
    readFileSync('/nowhere/a-file')
  } catch (error) {
    ofFile = error
  }
  expect(ofFile).toMatchObject({ code: 'ENOENT' })
  expect([isLost, isOutage].map((says) => says(ofFile))).toEqual([false, false])
  const ofSocket = await new Promise((resolve) => connect('/nowhere/a-socket').once('error', resolve))
  expect(ofSocket).toMatchObject({ code: 'ENOENT' })
  expect([isLost, isOutage].map((says) => says(ofSocket))).toEqual([true, true])
})

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG', 'ESTALE'])(
  'a disk that answers %s is no outage of the database',
  (code) => {
    const ofFile = Object.assign(withCode(code), { syscall: 'write' })
    expect([isLost, isOutage].map((says) => says(ofFile))).toEqual([false, false])
  },
)

test('a connection that is cut at its TLS handshake is an outage of the database', async () => {
  const host = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1')
  await once(host, 'listening')
  const { port } = host.address() as AddressInfo
  const cut = await new Promise((resolve) =>
    secureConnect({ host: '127.0.0.1', port }).once('error', resolve),
  )
  host.close()
  expect(cut).toMatchObject({ code: 'ECONNRESET' })
  expect([isLost, isOutage].map((says) => says(cut))).toEqual([true, true])
})
