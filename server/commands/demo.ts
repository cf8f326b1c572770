import { readConfig } from '../config.ts'
import { runCommand, say } from './command.ts'
import { switchOn } from './demo/boxes.ts'
import { fill } from './demo/fill.ts'
import { refuseOwnData } from './demo/own-data.ts'

await runCommand(async () => {
  // The demonstration has its own data folder, so that it never mixes with a business's data. An empty variable is
  // none.
  process.env.DATA_DIR = process.env.DATA_DIR?.trim() || './demo-data'
  refuseOwnData(process.env)
  if (readConfig(process.env).serve.boxes) process.env.BOX_PORT = process.env.BOX_PORT?.trim() || '8088'
  const { logins, boxes } = await fill(process.env, say)
  const { portal } = await import('../main.ts')
  if (portal) switchOn(portal, boxes)
  say(logins)
})
