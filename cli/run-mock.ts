// The work of `petvet mock`.
import { startPrism } from '../reference/prism.ts'
import { onInterrupt, untilInterrupted } from './interrupt.ts'
import { portBounds, wholeNumber } from './numbers.ts'
import { atPort } from './run-serve.ts'

const usualPort = '4010'

export const runMock = async ({ port }: { port: string | undefined }): Promise<number> => {
  const number = wholeNumber('--port', port ?? usualPort, portBounds)
  const interrupt = onInterrupt()
  const mock = await atPort(() => startPrism(number))
  process.stdout.write(`petvet: api ${mock.url}\n`)
  await untilInterrupted(interrupt)
  await mock.close()
  interrupt.release()
  return 0
}
