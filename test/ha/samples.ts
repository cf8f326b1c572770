import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const SAMPLES = join(import.meta.dirname, '../../deploy/ha')

/** Where this run has what the samples have on machines of their own. */
export interface Place {
  folder: string
  /** The first three numbers of all addresses, with a dot behind: a network of this machine alone. */
  network: string
}

/** A machine of the samples: its name, the last number of its address, and the folder that stands for its disk. */
export interface Machine {
  name: string
  address: string
  folder: string
}

/** Returns a machine of the samples as it is in this run. */
export function machineOf(name: string, number: number, { folder, network }: Place): Machine {
  return { name, address: `${network}${number}`, folder: join(folder, name) }
}

/** Returns the Patroni of a machine as an operator sets it up, but for addresses and folders. */
export function patroniOf(machine: Machine, place: Place): string {
  return filled('patroni.yml', place, [
    ['NODE', machine.name],
    ['ADDRESS', machine.address],
    ['/var/lib/postgresql/', `${machine.folder}/`],
    ['/var/run/postgresql', machine.folder],
  ])
}

export function etcdOf(machine: Machine, place: Place): Record<string, string> {
  return variablesOf(
    filled('etcd.env', place, [
      ['NODE', machine.name],
      ['ADDRESS', machine.address],
      ['/var/lib/etcd/', `${machine.folder}/etcd-`],
    ]),
  )
}

export function serverOf(machine: Machine, place: Place): Record<string, string> {
  return variablesOf(
    filled('boxtree.env', place, [
      ['ADDRESS', machine.address],
      ['/var/lib/boxtree', `${machine.folder}-data`],
      ['\nSECRET_KEY=\n', `\nSECRET_KEY=${'7'.repeat(64)}\n`],
    ]),
  )
}

/** HAProxy changes to a user of its own, which root alone can do. */
export function haproxyOf(machine: Machine, place: Place): string {
  const text = filled('haproxy.cfg', place, [['127.0.0.1', machine.address]])
  return process.getuid?.() === 0 ? text : text.replace(/^ +(user|group) haproxy\n/gm, '')
}

/** Caddy gets no certificate here. */
export function caddyOf(machine: Machine, place: Place, { console, boxes }: Urls): string {
  return filled('Caddyfile', place, [
    ['127.0.0.1', machine.address],
    // Otherwise at an address that two runs would share.
    ['{\n\tlog', `{\n\tadmin ${machine.address}:2019\n\tlog`],
    ['\ttls /etc/caddy/cert.pem /etc/caddy/key.pem\n', ''],
    ['\nboxtree.example.com', `\n${console}`],
    ['http://boxes.example.com', boxes],
  ])
}

/** Where people and boxes ask. */
export interface Urls {
  console: string
  boxes: string
}

export function rolesOf(place: Place): string {
  return filled('roles.sql', place, [])
}

/** Reads a sample and replaces in it what must be there. */
function filled(name: string, { network }: Place, others: readonly (readonly [string, string])[]): string {
  const text = readFileSync(join(SAMPLES, name), 'utf8')
  for (const [from] of others) if (!text.includes(from)) throw new Error(`deploy/ha/${name} has no '${from}'`)
  return others.reduce((text, [from, to]) => text.replaceAll(from, to), text).replaceAll('10.0.0.', network)
}

/** Returns the variables of a file as systemd reads it. */
function variablesOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^\w+=/.test(line))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1)]
    }),
  )
}
