// The proof of the domain checks: each mutant is found, and no legal project is failed.
import { type AcquireOptions, acquire } from '../../domains/check/acquire/acquire.ts'
import { usualLimits } from '../../domains/check/acquire/probe.ts'
import { watchRemoval } from '../../domains/check/acquire/removal.ts'
import type { DomainSettings } from '../../domains/check/facts.ts'
import { judge } from '../../domains/check/judge/judge.ts'
import { runOf } from '../../domains/check/run-of.ts'
import { type Authority, createAuthority } from '../../domains/demo/authority.ts'
import {
  authorityName,
  type Demo,
  marker,
  platformHost,
  primary,
  redirects,
  siteHost,
  startDemo,
} from '../../domains/demo/demo.ts'
import type { DomainLegal, DomainMutant } from '../../domains/faults/changes.ts'
import type { DomainSubject } from '../../domains/faults/subjects.ts'
import { lintDomains } from '../../domains/rules/lint.ts'
import type { RunFile } from '../../engine/run-file.ts'
import { idsOf, type Proof } from './proof.ts'

const minuteMs = 60_000
const usualDnsTimeoutMs = 2_000

const ago = (minutes: number | undefined) =>
  minutes === undefined ? null : new Date(Date.now() - minutes * minuteMs).toISOString()

const settingsFor = (demo: Demo, variant: DomainSubject): DomainSettings => ({
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

/** Checks a variant as `petvet domains` would. */
const checkVariant = async (variant: DomainSubject, authority: Authority): Promise<Seen> => {
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
    const details = { strict: false, interrupted: false, again: null }
    return { lint: [], run: runOf(facts, judge(facts), details) }
  } finally {
    await demo.close()
  }
}

const mutantComplaint = ({ caughtBy, breaks }: DomainMutant, { run, lint }: Seen) => {
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
  { kind, exercises, inconclusive, warns }: DomainLegal,
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
  if (inconclusive === undefined) {
    return run.verdict === 'conformant' ? null : `verdict ${run.verdict}`
  }
  const isInconclusive = idsOf(run, 'untested').includes(inconclusive)
  return isInconclusive ? null : `${inconclusive} is not inconclusive`
}

const complaintOf = (subject: DomainSubject, seen: Seen): string | null => {
  const errors = seen.run ? idsOf(seen.run, 'error') : []
  if (errors.length > 0) return `errors in ${errors.join(', ')}`
  return subject.kind === 'mutant' ? mutantComplaint(subject, seen) : legalComplaint(subject, seen)
}

const proofOf = async (
  subject: DomainSubject,
  seed: number,
  authority: Authority,
): Promise<Proof> => {
  const { id } = subject
  const startMs = performance.now()
  const proof =
    subject.kind === 'mutant'
      ? ({ id, kind: 'mutant', seed, says: subject.fault, caughtBy: subject.caughtBy } as const)
      : ({ id, kind: 'legal', seed, says: subject.does, caughtBy: null } as const)
  try {
    const seen = await checkVariant(subject, authority)
    return {
      ...proof,
      killedBy: seen.run === null ? ['lint'] : idsOf(seen.run, 'fail', 'warn'),
      requests: seen.run?.requests ?? 0,
      durationMs: performance.now() - startMs,
      complaint: complaintOf(subject, seen),
    }
  } catch (error) {
    // A machine may lack what a variant needs, such as a second address on loopback.
    const complaint = `it could not be started: ${(error as Error).message}`
    const durationMs = performance.now() - startMs
    return { ...proof, killedBy: [], requests: 0, durationMs, complaint }
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
  report: (proof: Proof) => void,
  signal: AbortSignal,
): Promise<Proof[]> => {
  const authority = await createAuthority()
  const done = new Map<string, Proof>()
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
