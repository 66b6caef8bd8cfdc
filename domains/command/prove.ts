// The proof of the domain checks: what is said of each fault, legal variant and riddle is true.

import type { Proof } from '../../cli/proving/proof.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import { type Authority, createAuthority } from '../demo/authority.ts'
import type { DomainFault, DomainLegal } from '../demo/variant.ts'
import { domainFaults } from '../faults/faults.ts'
import { domainLegal, domainUnsure } from '../faults/legal.ts'
import { type DomainLook, lookAt } from './look.ts'

export interface DomainSubject {
  readonly id: string
  readonly kind: 'mutant' | 'legal' | 'unsure'
  readonly variant: DomainFault | DomainLegal
}

export const domainSubjects: readonly DomainSubject[] = [
  ...domainFaults.map((variant) => ({ id: variant.id, kind: 'mutant' as const, variant })),
  ...domainLegal.map((variant) => ({ id: variant.id, kind: 'legal' as const, variant })),
  ...domainUnsure.map((variant) => ({ id: variant.id, kind: 'unsure' as const, variant })),
]

const idsOf = (run: RunFile | null, ...outcomes: string[]) =>
  (run?.checks ?? []).filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)

const faultComplaint = ({ caughtBy, breaks }: DomainFault, { run, lint }: DomainLook) => {
  if (caughtBy === 'lint') return lint.includes(breaks) ? null : 'not found by lint'
  const found = run?.checks.find(({ id }) => id === caughtBy)
  if (found?.outcome !== 'fail' && found?.outcome !== 'warn') return `not found by ${caughtBy}`
  return found.requirement === breaks ? null : `${caughtBy} is not about ${breaks}`
}

/** The checks that it was built for, and that nothing was said by. */
const idleIn = (exercises: readonly string[], run: RunFile): string[] =>
  exercises.filter((check) =>
    run.checks.every(({ id: own, outcome }) => {
      return own.split('@')[0] !== check || outcome === 'inapplicable'
    }),
  )

const legalComplaint = (
  kind: DomainSubject['kind'],
  { exercises, untold, warns }: DomainLegal,
  { run, lint }: DomainLook,
): string | null => {
  if (lint.length > 0 || run === null) return `lint: ${lint.join(', ')}`
  const idle = idleIn(exercises, run)
  if (idle.length > 0) return `not asked: ${idle.join(', ')}`
  const failed = idsOf(run, 'fail')
  if (failed.length > 0) return `false alarm: ${failed.join(', ')}`
  const warned = idsOf(run, 'warn').filter((id) => id !== warns)
  if (warned.length > 0 && kind === 'legal') return `false warning: ${warned.join(', ')}`
  if (warns !== undefined && !idsOf(run, 'warn').includes(warns)) return `no warning of ${warns}`
  if (untold !== undefined) {
    return idsOf(run, 'untested').includes(untold) ? null : `${untold} is not left open`
  }
  return run.verdict === 'conformant' ? null : `verdict ${run.verdict}`
}

/** A machine may lack what a variant needs, such as a second address on loopback. */
const lookOrFault = async (variant: DomainSubject['variant'], authority: Authority) => {
  try {
    return await lookAt(variant, authority)
  } catch (error) {
    return `it could not be started: ${(error as Error).message}`
  }
}

const complaintOf = ({ kind, variant }: DomainSubject, look: DomainLook): string | null => {
  const errors = idsOf(look.run, 'error')
  if (errors.length > 0) return `errors in ${errors.join(', ')}`
  return 'fault' in variant ? faultComplaint(variant, look) : legalComplaint(kind, variant, look)
}

const nothingSeen: DomainLook = { lint: [], facts: null, run: null }

const proofOf = async (
  subject: DomainSubject,
  seed: number,
  authority: Authority,
): Promise<Proof> => {
  const { id, variant } = subject
  const startMs = performance.now()
  const looked = await lookOrFault(variant, authority)
  const look = typeof looked === 'string' ? nothingSeen : looked
  const isFault = 'fault' in variant
  return {
    id,
    kind: isFault ? 'mutant' : 'legal',
    seed,
    says: isFault ? variant.fault : variant.does,
    caughtBy: isFault ? variant.caughtBy : null,
    killedBy: look.lint.length > 0 ? ['lint'] : idsOf(look.run, 'fail', 'warn'),
    requests: look.run?.requests ?? 0,
    durationMs: performance.now() - startMs,
    complaint: typeof looked === 'string' ? looked : complaintOf(subject, look),
  }
}

/** How many are looked at together: most of their time is spent on waiting. */
const together = 4

/**
 * @param seed of the proofs beside these, which draw nothing
 * @param tell told of each proof as it is done
 * @returns the proofs in the order of the subjects
 */
export const proveDomains = async (
  subjects: readonly DomainSubject[],
  seed: number,
  tell: (proof: Proof) => void,
  signal: AbortSignal,
): Promise<Proof[]> => {
  const authority = await createAuthority()
  const done = new Map<string, Proof>()
  const queue = [...subjects]
  const work = async () => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
      const proof = await proofOf(next, seed, authority)
      done.set(next.id, proof)
      tell(proof)
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return subjects.flatMap(({ id }) => done.get(id) ?? [])
}
