// `petvet explain`: one sentence, check or load scenario, and how it is judged.
import { command } from '../command.ts'

export const explain = command({
  usage: 'explain <id>',
  says:
    'explain a sentence, a check or a load scenario: how it is judged, and on what it is ' +
    'proven',
  positions: ['id'],
  options: {
    id: { type: 'string', demandOption: true, describe: 'as `petvet list` tells it, or a glob' },
    json: { type: 'boolean', describe: 'a list of explanations, as JSON' },
  },
  run: async (given) => (await import('../run-explain.ts')).runExplain(given),
})
