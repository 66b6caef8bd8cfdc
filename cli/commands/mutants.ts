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
    suite: {
      choices: ['contract', 'limits', 'domains'] as const,
      describe: 'only those that this part of the suites is proven on',
    },
    seed: { type: 'string', requiresArg: true, describe: 'seed of all that is generated [7]' },
    seeds: {
      type: 'string',
      requiresArg: true,
      describe: 'prove at so many seeds, beginning with --seed [1]',
    },
    json: { type: 'boolean', describe: 'the proofs as JSON' },
  },
  run: async (given) => (await import('../run-mutants.ts')).runMutants(given),
})
