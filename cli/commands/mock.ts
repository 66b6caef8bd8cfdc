// `petvet mock`: the Prism mock until a signal ends it.

import { portBounds } from '../../config/values.ts'
import { startPrism } from '../../reference/prism.ts'
import { command, number } from '../command.ts'
import { serveUntilSignal } from './serve.ts'

export const mock = command(
  { port: number('port of the API; 0: any [default: 4010]', portBounds) },
  ({ port = 4010 }) =>
    serveUntilSignal(
      () => startPrism(port),
      ({ url }) => [`api ${url}`],
    ),
)
