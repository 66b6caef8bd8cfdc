// `petvet report`: a finished run, told again.
import { command } from '../command.ts'
import { formatNames } from '../format-names.ts'

export const report = command({
  usage: 'report <run>',
  says: 'tell a finished run again, on standard output',
  positions: ['run'],
  options: {
    run: {
      type: 'string',
      demandOption: true,
      describe: 'a run.json, its folder, or a folder of runs',
    },
    as: {
      type: 'string',
      requiresArg: true,
      describe: `${['terminal', 'json', ...formatNames].join(', ')} [terminal]; several need --out`,
    },
    out: { type: 'string', requiresArg: true, describe: 'folder to write the formats to' },
    known: { type: 'string', requiresArg: true, describe: 'file of known failures' },
    verbose: {
      type: 'boolean',
      describe: 'tell failures, warnings, observations and what is untested in full',
    },
  },
  run: async (given) => (await import('../run-report.ts')).runReport(given),
})
