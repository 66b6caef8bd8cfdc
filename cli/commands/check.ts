// `petvet check`: run the suites against a target.
import { command } from '../command.ts'
import { runFlags, targetFlags } from '../run-flags.ts'

export const check = command({
  usage: 'check [base-url]',
  says: 'run the suites; without a base-url: on the built-in reference',
  positions: ['base-url'],
  options: {
    ...targetFlags,
    ...runFlags,
    out: {
      type: 'string',
      requiresArg: true,
      describe: 'folder for run.json and exchanges.ndjson [petvet-runs/<time>]',
    },
    report: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'further formats to write beside run.json: junit',
    },
    known: { type: 'string', requiresArg: true, describe: 'file of known failures' },
    strict: { type: 'boolean', describe: 'leave no must untested: exit 4 where one is' },
    mock: { type: 'boolean', default: true, describe: 'the Prism mock beside the reference' },
    verbose: { type: 'boolean', describe: 'tell the warnings and what is untested in full' },
    quiet: { type: 'boolean', describe: 'only a verdict line, on standard error' },
    json: { type: 'boolean', describe: 'only the run file, on standard output' },
  },
  run: async (given) => (await import('../run-check.ts')).runCheck(given),
})
