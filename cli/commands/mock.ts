// `petvet mock`: the Prism mock until a signal ends it.
import { startPrism } from '../../reference/prism.ts'
import { command, number } from '../command.ts'
import { portBounds, wholeNumber } from '../config/values.ts'
import { onInterrupt, untilInterrupted } from '../run/interrupt.ts'
import { atPort } from './serve.ts'

export const mock = command(
  { port: number('port of the API; 0: any [default: 4010]') },
  async ({ port = '4010' }) => {
    const number = wholeNumber('--port', port, portBounds)
    const interrupt = onInterrupt()
    const { url, close } = await atPort(() => startPrism(number))
    process.stdout.write(`petvet: api ${url}\n`)
    await untilInterrupted(interrupt)
    await close()
    interrupt.release()
    return 0
  },
)
