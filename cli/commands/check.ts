// `petvet check`: run the suites against a target.
import { command } from '../command.ts'
import { outputFlags, runFlags, targetFlags } from '../run-flags.ts'

export const check = command({
  usage: 'check [base-url]',
  says: 'run the suites; without address or configuration: on the built-in reference',
  positions: ['base-url'],
  options: {
    ...targetFlags,
    ...runFlags,
    ...outputFlags,
    'max-time': {
      type: 'string',
      requiresArg: true,
      describe: 'seconds that the run may last [7200]; the rest is left untested',
    },
    resume: {
      type: 'string',
      requiresArg: true,
      describe: 'folder of an interrupted run to resume; give its keys again',
    },
    watch: {
      type: 'boolean',
      describe: 'run again at Enter and whenever the server comes back; failed checks first',
    },
    bail: { type: 'boolean', describe: 'end at the first failure' },
    mock: { type: 'boolean', default: true, describe: 'the Prism mock beside the reference' },
  },
  run: async (given) =>
    given.watch
      ? (await import('../run-watch.ts')).runWatch(given)
      : (await import('../run-check.ts')).runCheck(given),
})
