import { runCommand, say } from './command.ts'
import { switchOn } from './demo/boxes.ts'
import { fill } from './demo/fill.ts'
import { refuseOwnData } from './demo/own-data.ts'

await runCommand(async () => {
  refuseOwnData(process.env)
  // The demonstration has its own data folder, so that it never mixes with a business's data.
  process.env.DATA_DIR ??= './demo-data'
  process.env.BOX_PORT ??= '8088'
  const { logins, boxes } = await fill(process.env, say)
  await import('../main.ts')
  switchOn(`http://127.0.0.1:${process.env.BOX_PORT}`, boxes)
  say(logins)
})
