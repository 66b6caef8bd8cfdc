// The proof of the domain checks: each fault is found, and no legal project is failed.
import type { RunFile } from '../engine/run-file.ts'
import { type AcquireOptions, acquire } from './check/acquire/acquire.ts'
import { usualLimits } from './check/acquire/probe.ts'
import { watchRemoval } from './check/acquire/removal.ts'
import type { LookSettings } from './check/facts.ts'
import { judge } from './check/judge/judge.ts'
import { runOf } from './check/run-of.ts'
import { type Authority, createAuthority } from './demo/authority.ts'
import {
  authorityName,
  marker,
  platformHost,
  primary,
  redirects,
  siteHost,
} from './demo/customers.ts'
import { type Demo, startDemo } from './demo/demo.ts'
import type { DomainLegal, DomainMistake } from './demo/variant.ts'
import { domainFaults } from './faults/faults.ts'
import { domainLegal, domainUnsure } from './faults/legal.ts'
import { lintDomains } from './rules/lint.ts'

type Variant = DomainMistake | DomainLegal

/** What one variant showed; `petvet mutants` prints it. */
export interface DomainProof {
  readonly id: string
  readonly kind: 'mutant' | 'legal'
  readonly seed: number
  readonly says: string
  readonly caughtBy: string | null
  /** Checks that failed, or warned of a should. */
  readonly killedBy: readonly string[]
  readonly requests: number
  readonly durationMs: number
  /** What is wrong with the proof, in one line; null if it holds. */
  readonly complaint: string | null
}

interface DomainSubject {
  readonly id: string
  readonly kind: 'mutant' | 'legal' | 'unsure'
  readonly variant: Variant
}

const subjectsOf = (kind: DomainSubject['kind'], variants: readonly Variant[]): DomainSubject[] =>
  variants.map((variant) => ({ id: variant.id, kind, variant }))

export const domainSubjects: readonly DomainSubject[] = [
  ...subjectsOf('mutant', domainFaults),
  ...subjectsOf('legal', domainLegal),
  ...subjectsOf('unsure', domainUnsure),
]

const minuteMs = 60_000
const usualDnsTimeoutMs = 2_000

const ago = (minutes: number | undefined) =>
  minutes === undefined ? null : new Date(Date.now() - minutes * minuteMs).toISOString()

const settingsFor = (demo: Demo, variant: Variant): LookSettings => ({
  platformHost,
  platformAddresses: [],
  site: siteHost,
  marker,
  path: '/',
  plan: variant.plan ?? 'pro',
  authorities: variant.authorities ?? [authorityName],
  since: ago(variant.sinceHours && variant.sinceHours * 60),
  verifiedAt: ago(variant.verifiedMinutes),
  allowProxy: variant.allowProxy ?? false,
  httpsPort: demo.httpsPort,
  httpPort: demo.httpPort,
})

const gather = async (demo: Demo, options: AcquireOptions, remove: string | undefined) => {
  if (remove === undefined) return acquire(options)
  const watch = await watchRemoval(options, remove)
  try {
    await demo.press('remove', remove)
    return await watch.after()
  } finally {
    watch.close()
  }
}

interface Seen {
  /** The requirements that the domains file violates; then nothing was sent. */
  readonly lint: readonly string[]
  readonly run: RunFile | null
}

/** Looks at a variant as `petvet domains` would. */
const lookAt = async (variant: Variant, authority: Authority): Promise<Seen> => {
  // As a file would be read: JSON has no member without a value.
  const file = JSON.stringify(variant.domains ?? { domains: { primary, redirects } })
  const { faults, config } = lintDomains(JSON.parse(file))
  if (!config) return { lint: faults.map(({ requirement }) => requirement), run: null }
  const demo = await startDemo(variant, authority)
  try {
    const [address = '', port = ''] = demo.dns.split(':')
    const options: AcquireOptions = {
      settings: settingsFor(demo, variant),
      config,
      resolvers: [{ address, port: Number(port) }],
      dnsTimeoutMs: variant.dnsTimeoutMs ?? usualDnsTimeoutMs,
      ca: demo.rootPem,
      limits: usualLimits,
      signal: new AbortController().signal,
    }
    const facts = await gather(demo, options, variant.remove)
    const notes = { attestations: [], notes: [], strict: false, interrupted: false, again: null }
    return { lint: [], run: runOf(facts, judge(facts), notes) }
  } finally {
    await demo.close()
  }
}

const idsOf = (run: RunFile | null, ...outcomes: string[]) =>
  (run?.checks ?? []).filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)

const faultComplaint = ({ caughtBy, breaks }: DomainMistake, { run, lint }: Seen) => {
  if (caughtBy === 'lint') return lint.includes(breaks) ? null : 'not found by lint'
  const found = run?.checks.find(({ id }) => id === caughtBy)
  if (found?.outcome !== 'fail' && found?.outcome !== 'warn') return `not found by ${caughtBy}`
  return found.requirement === breaks ? null : `${caughtBy} is not about ${breaks}`
}

/** The checks that it was built for, and that tested nothing. */
const idleIn = (exercises: readonly string[], { checks }: RunFile): string[] =>
  exercises.filter((check) =>
    checks.every(({ id, outcome }) => id.split('@')[0] !== check || outcome === 'inapplicable'),
  )

const legalComplaint = (
  kind: DomainSubject['kind'],
  { exercises, inconclusive, warns }: DomainLegal,
  { run, lint }: Seen,
): string | null => {
  if (lint.length > 0 || run === null) return `lint: ${lint.join(', ')}`
  const idle = idleIn(exercises, run)
  if (idle.length > 0) return `not exercised: ${idle.join(', ')}`
  const failed = idsOf(run, 'fail')
  if (failed.length > 0) return `false alarm: ${failed.join(', ')}`
  const warned = idsOf(run, 'warn')
  const alarms = warned.filter((id) => id !== warns)
  if (alarms.length > 0 && kind === 'legal') return `false warning: ${alarms.join(', ')}`
  if (warns !== undefined && !warned.includes(warns)) return `no warning of ${warns}`
  if (inconclusive === undefined)
    return run.verdict === 'conformant' ? null : `verdict ${run.verdict}`
  return idsOf(run, 'untested').includes(inconclusive)
    ? null
    : `${inconclusive} is not inconclusive`
}

const complaintOf = ({ kind, variant }: DomainSubject, seen: Seen): string | null => {
  const errors = idsOf(seen.run, 'error')
  if (errors.length > 0) return `errors in ${errors.join(', ')}`
  return 'fault' in variant ? faultComplaint(variant, seen) : legalComplaint(kind, variant, seen)
}

const proofOf = async (
  subject: DomainSubject,
  seed: number,
  authority: Authority,
): Promise<DomainProof> => {
  const { id, variant } = subject
  const startMs = performance.now()
  // A machine may lack what a variant needs, such as a second address on loopback.
  const looked = await lookAt(variant, authority).catch((error: Error) => error)
  const seen = looked instanceof Error ? { lint: [], run: null } : looked
  const isFault = 'fault' in variant
  return {
    id,
    kind: isFault ? 'mutant' : 'legal',
    seed,
    says: isFault ? variant.fault : variant.does,
    caughtBy: isFault ? variant.caughtBy : null,
    killedBy: seen.lint.length > 0 ? ['lint'] : idsOf(seen.run, 'fail', 'warn'),
    requests: seen.run?.requests ?? 0,
    durationMs: performance.now() - startMs,
    complaint:
      looked instanceof Error
        ? `it could not be started: ${looked.message}`
        : complaintOf(subject, seen),
  }
}

/** Each proof spends most of its time waiting. */
const concurrency = 4

/**
 * @param seed of the proofs of the other suites; these draw nothing
 * @param report called for each proof as it is done
 * @returns the proofs in the order of the subjects
 */
export const proveDomains = async (
  subjects: readonly DomainSubject[],
  seed: number,
  report: (proof: DomainProof) => void,
  signal: AbortSignal,
): Promise<DomainProof[]> => {
  const authority = await createAuthority()
  const done = new Map<string, DomainProof>()
  const queue = [...subjects]
  const work = async () => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) {
      const proof = await proofOf(next, seed, authority)
      done.set(next.id, proof)
      report(proof)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return subjects.flatMap(({ id }) => done.get(id) ?? [])
}
