import { say } from './command.ts'
import { fill } from './demo/fill.ts'

// The demonstration has a data folder of its own, so that it never meets a business's books.
process.env.DATA_DIR ??= './demo-data'

const logins = await fill(process.env, say)
await import('../main.ts')
say(logins)
