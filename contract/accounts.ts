import { login, newPassword } from './text.ts'

export const ACCOUNT_NAME_LENGTH = { least: 3, most: 32 }
export const ACCOUNT_PASSWORD_LENGTH = { least: 8, most: 128 }

export const AccountName = login(ACCOUNT_NAME_LENGTH)
export const AccountPassword = newPassword(ACCOUNT_PASSWORD_LENGTH)

/** Stands for the name of an account that the reader may not know. */
export const UNNAMED = '—'
