// `petvet explain`: one sentence or check, and how it is judged.
import { command } from '../command.ts'

export const explain = command({
  usage: 'explain <id>',
  says: 'explain a sentence or a check, and how it is judged',
  positions: ['id'],
  options: { id: { type: 'string', demandOption: true, describe: 'as `petvet list` tells it' } },
  run: async (given) => (await import('../run-explain.ts')).runExplain(given),
})
