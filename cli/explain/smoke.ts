// The smoke call explained: it is in every run and in no catalogue.

import { smokeId } from '../../engine/smoke.ts'
import { mutants } from '../../reference/mutants.ts'
import type { ExplainedAsker } from './explained.ts'
import { seeMutant } from './seeing.ts'
import { explainSentence } from './sentences.ts'

export const explainSmoke = (): ExplainedAsker => ({
  kind: 'check',
  id: smokeId,
  sentence: explainSentence('list.success'),
  how: {
    asks: 'One `GET /pets` with each key, before anything else; a 429 is waited out, three times.',
    finds:
      'A redirect or a 404: then the rest is untested. Any other wrong answer is left to others.',
    open:
      'there is no answer, no TLS connection, or every key is refused: then the run cannot be ' +
      'held ' +
      '(exit 3)',
  },
  costs: ['1 request on each key, and another one where it is refused'],
  needs: [],
  when: 'before all others',
  run: 'petvet check BASE-URL --key PLAN=KEY',
  legal: [],
  mutants: mutants
    .filter(({ caughtBy }) => caughtBy === smokeId)
    .map((mutant) => ({
      id: mutant.id,
      fault: mutant.fault,
      see: seeMutant(mutant, undefined),
    })),
})
