// `petvet serve`: the reference server on a port.
import { command } from '../command.ts'

export const serve = command({
  usage: 'serve',
  says: 'start the reference server',
  positions: [],
  options: {
    port: { type: 'string', requiresArg: true, describe: 'port of the API; 0: any [8080]' },
    keys: {
      type: 'string',
      requiresArg: true,
      describe: 'keys it accepts: free=K,pro=K,business=K [made up, one of each]',
    },
    clock: { type: 'string', describe: 'with a test clock, on this port [any]' },
    mutant: {
      type: 'string',
      requiresArg: true,
      describe: 'with the fault of a mutant, or as a legal variant, by its id',
    },
    store: { type: 'string', requiresArg: true, describe: 'memory or FILE.sqlite [memory]' },
  },
  run: async (given) => (await import('../run-serve.ts')).runServe(given),
})
