// `petvet compare`: what changed from one run to another.
import { command } from '../command.ts'

export const compare = command({
  usage: 'compare <old> <new>',
  says: 'tell what got better, worse, or changed from one run to another; exit 1 if worse',
  positions: ['old', 'new'],
  options: {
    old: { type: 'string', demandOption: true, describe: 'a run.json, or the folder it is in' },
    new: { type: 'string', demandOption: true, describe: 'the later run' },
    as: {
      choices: ['text', 'json', 'markdown'] as const,
      requiresArg: true,
      describe: 'how to tell it, on standard output [text]',
    },
    json: { type: 'boolean', describe: 'the same as --as json' },
    quiet: { type: 'boolean', describe: 'only a verdict line, on standard error' },
  },
  run: async (given) => (await import('../run-compare.ts')).runCompare(given),
})
