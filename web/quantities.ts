import { counted } from '../contract/quantities.ts'

export function inMonths(count: number): string {
  return counted(count, 'month')
}

export function inClients(count: number): string {
  return counted(count, 'client')
}

export function inDays(count: number): string {
  return counted(count, 'day')
}
