// `petvet mutants`: the proof that every check can fail, and that no legal server fails one.
import { command } from '../command.ts'

export const mutants = command({
  usage: 'mutants',
  says: 'prove the checks: run the suites over all mutants and legal variants',
  positions: [],
  options: {
    only: { type: 'string', array: true, describe: 'only those whose id matches this glob' },
    seed: { type: 'string', describe: 'seed of the generated values (default 7)' },
    json: { type: 'boolean', describe: 'print the proofs as JSON alone' },
  },
  run: async (given) => (await import('../run-mutants.ts')).runMutants(given),
})
