import { StartFault } from '../config.ts'
import { runCommand, say } from './command.ts'
import { switchOn } from './demo/boxes.ts'
import { fill } from './demo/fill.ts'

// The demonstration has its own data folder, so that it never mixes with a business's data.
process.env.DATA_DIR ??= './demo-data'
process.env.BOX_PORT ??= '8088'

await runCommand(async () => {
  const external = ['DATABASE_URL', 'DATABASE_OWNER_URL'].flatMap((name) => [name, `${name}_FILE`])
  const named = external.find((name) => process.env[name])
  if (named) throw new StartFault(`The demonstration has a database of its own. Run it without ${named}.`)
  const { logins, boxes } = await fill(process.env, say)
  await import('../main.ts')
  switchOn(`http://127.0.0.1:${process.env.BOX_PORT}`, boxes)
  say(logins)
})
