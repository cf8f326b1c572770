import { login, newPassword } from './text.ts'

export const AccountName = login(3, 32)
export const AccountPassword = newPassword(8, 128)
