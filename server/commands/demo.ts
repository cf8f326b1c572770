import { say } from './command.ts'
import { fill } from './demo/fill.ts'

// The demonstration has its own data folder, so that it never mixes with a business's data.
process.env.DATA_DIR ??= './demo-data'
process.env.BOX_PORT ??= '8088'

const logins = await fill(process.env, say)
await import('../main.ts')
say(logins)
