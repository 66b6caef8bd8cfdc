// `petvet list`: the sentences of the interface and the checks of each.
import { command } from '../command.ts'

const globs = (describe: string) =>
  ({ type: 'string', array: true, requiresArg: true, describe }) as const

export const list = command({
  usage: 'list',
  says: 'list the sentences of the interface and their checks, with what each sends and needs',
  positions: [],
  options: {
    only: globs('glob of the checks, sentences or suites to list'),
    skip: globs('glob of the checks, sentences or suites to leave out'),
    level: { choices: ['must', 'should', 'open'] as const, describe: 'sentences of this level' },
    json: { type: 'boolean', describe: 'as JSON' },
  },
  run: async (given) => (await import('../run-list.ts')).runList(given),
})
