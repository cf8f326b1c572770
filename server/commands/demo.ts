import { runCommand, say } from './command.ts'
import { switchOn } from './demo/boxes.ts'
import { fill } from './demo/fill.ts'
import { refuseOwnData } from './demo/own-data.ts'

await runCommand(async () => {
  // The demonstration has its own data folder, so that it never mixes with a business's data. An empty variable is
  // none.
  process.env.DATA_DIR = process.env.DATA_DIR?.trim() || './demo-data'
  process.env.BOX_PORT = process.env.BOX_PORT?.trim() || '8088'
  refuseOwnData(process.env)
  const { logins, boxes } = await fill(process.env, say)
  await import('../main.ts')
  switchOn(`http://127.0.0.1:${process.env.BOX_PORT}`, boxes)
  say(logins)
})
