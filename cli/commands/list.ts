// `petvet list`: the sentences of the interface and the checks of each.
import { command } from '../command.ts'

export const list = command({
  usage: 'list',
  says: 'list the sentences of the interface and their checks',
  positions: [],
  options: { json: { type: 'boolean', describe: 'as JSON' } },
  run: async (given) => (await import('../run-list.ts')).runList(given),
})
