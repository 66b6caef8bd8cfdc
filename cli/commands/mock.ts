// `petvet mock`: the Prism mock until a signal ends it.
import { startPrism } from '../../reference/prism.ts'
import { command, number, portBounds } from '../command.ts'
import { onInterrupt, untilInterrupted } from '../run/interrupt.ts'
import { atPort } from './serve.ts'

export const mock = command(
  { port: number('port of the API; 0: any [default: 4010]', portBounds) },
  async ({ port = 4010 }) => {
    const interrupt = onInterrupt()
    const { url, close } = await atPort(() => startPrism(port))
    process.stdout.write(`petvet: api ${url}\n`)
    await untilInterrupted(interrupt)
    await close()
    interrupt.release()
    return 0
  },
)
