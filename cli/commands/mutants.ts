// `petvet mutants`: the proof that every check can fail.
import { command } from '../command.ts'

export const mutants = command({
  usage: 'mutants',
  says: 'prove that every check can fail: run the suites on all mutants and legal variants',
  positions: [],
  options: {
    only: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'glob of the mutants and variants to prove',
    },
    seed: { type: 'string', requiresArg: true, describe: 'seed of all that is generated [7]' },
    json: { type: 'boolean', describe: 'the proofs as JSON' },
  },
  run: async (given) => (await import('../run-mutants.ts')).runMutants(given),
})
