// The checks of a published project's domains explained.

import { domainHow } from '../../domains/check/how.ts'
import { domainFaults } from '../../domains/faults/faults.ts'
import { domainLegal, domainUnsure } from '../../domains/faults/legal.ts'
import { requirement } from '../../spec/requirements.ts'
import type { ExplainedAsker } from './explained.ts'
import { proofOf } from './seeing.ts'
import { explainSentence } from './sentences.ts'

/** A fault of the file is found before anything is asked, and told by the check of its sentence. */
const findsFault = (id: string, sentence: string) => (fault: (typeof domainFaults)[number]) =>
  fault.caughtBy === 'lint'
    ? id.startsWith('domains-') && fault.breaks === sentence
    : fault.caughtBy.split('@')[0] === id

const runOf = (id: string): string => {
  const flags = '--domains FILE --platform-host HOST'
  return id.startsWith('removed-')
    ? `petvet domains removed ${flags} --host DOMAIN`
    : `petvet domains check ${flags}`
}

export const explainDomainChecks = (): readonly ExplainedAsker[] =>
  Object.entries(domainHow).map(([id, { requirement: sentence, asks, finds, open }]) => ({
    kind: requirement(sentence).level === 'open' ? 'domain observation' : 'domain check',
    id,
    sentence: explainSentence(sentence),
    how: { asks, finds, open },
    costs: [
      'what `petvet domains plan` tells: DNS questions, handshakes and pages, no API request',
    ],
    needs: ['the file of the domains (--domains) and the platform host (--platform-host)'],
    when: null,
    run: runOf(id),
    legal: [...domainLegal, ...domainUnsure]
      .filter((legal) => legal.exercises.includes(id))
      .map((legal) => ({ id: legal.id, does: legal.does })),
    mutants: domainFaults.filter(findsFault(id, sentence)).map((fault) => ({
      id: fault.id,
      fault: fault.fault,
      see: [proofOf(fault.id)],
    })),
  }))
