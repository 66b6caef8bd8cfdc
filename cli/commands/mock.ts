// `petvet mock`: the Prism mock on a port.
import { command } from '../command.ts'

export const mock = command({
  usage: 'mock',
  says: 'start the Prism mock of the OpenAPI document',
  positions: [],
  options: {
    port: { type: 'string', requiresArg: true, describe: 'port of the API; 0: any [4010]' },
  },
  run: async (given) => (await import('../run-mock.ts')).runMock(given),
})
