import { login, newPassword } from './text.ts'

export const AccountName = login(3, 32)
export const AccountPassword = newPassword(8, 128)

/** Stands for the name of an account that the reader may not know. */
export const UNNAMED = '—'
