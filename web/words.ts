import { counted } from '../contract/words.ts'

export function months(count: number): string {
  return counted(count, 'month')
}

export function clients(count: number): string {
  return counted(count, 'client')
}

export function days(count: number): string {
  return counted(count, 'day')
}
