// The proof of the domain checks: each mutant is found, and no legal project is failed.
import { type AcquireOptions, acquire, acquireAround } from '../domains/check/acquire/acquire.ts'
import type { DomainSettings } from '../domains/check/facts.ts'
import { toRunFile } from '../domains/check/judge/domains-run.ts'
import { type Authority, createAuthority } from '../domains/demo/authority.ts'
import {
  authorityName,
  type Demo,
  marker,
  platformHost,
  primary,
  redirects,
  siteHost,
  startDemo,
} from '../domains/demo/start-demo.ts'
import type { DomainLegal, DomainMutant, DomainSubject } from '../domains/faults/changes.ts'
import { lintDomains } from '../domains/rules/lint.ts'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { type Judged, listIds } from './subjects.ts'

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
  const facts = await acquireAround(options, remove, async () => demo.remove(remove))
  if (!facts) throw new Error(`${remove} could not be removed`)
  return facts
}

/** A run; of a domains file that is refused, a check for each requirement that it violates. */
interface Seen {
  readonly checks: readonly Pick<CheckResult, 'id' | 'requirement' | 'outcome'>[]
  readonly verdict: RunFile['verdict'] | null
  readonly requests: number
}

/** Checks a variant as `petvet domains` would. */
const checkVariant = async (variant: DomainSubject, authority: Authority): Promise<Seen> => {
  // As a file would be read: JSON has no member without a value.
  const file = JSON.stringify(variant.domains ?? { domains: { primary, redirects } })
  const { faults, config } = lintDomains(JSON.parse(file))
  if (!config) {
    const violated = [...new Set(faults.map((fault) => fault.requirement))]
    const checks = violated.map((requirement) => ({
      id: 'lint',
      requirement,
      outcome: 'fail' as const,
    }))
    return { checks, verdict: null, requests: 0 }
  }
  const demo = await startDemo(variant, authority)
  try {
    const options: AcquireOptions = {
      settings: settingsFor(demo, variant),
      config,
      resolvers: [demo.dns],
      nameServerPort: demo.dnsPort,
      dnsTimeoutMs: variant.dnsTimeoutMs ?? usualDnsTimeoutMs,
      ca: demo.rootPem,
      signal: new AbortController().signal,
    }
    const facts = await gather(demo, options, variant.remove)
    return toRunFile(facts, { strict: false, interrupted: false, command: null })
  } finally {
    await demo.close()
  }
}

const mutantComplaint = ({ caughtBy, breaks }: DomainMutant, { checks }: Seen): string | null => {
  const found = checks.find(({ id }) => id === caughtBy)
  if (found?.outcome !== 'fail' && found?.outcome !== 'warn') return `not found by ${caughtBy}`
  return found.requirement === breaks ? null : `${caughtBy} is not about ${breaks}`
}

const legalComplaint = (
  { exercises, inconclusive, warns }: DomainLegal,
  seen: Seen,
): string | null => {
  const warned = listIds(seen, 'warn')
  const alarms = [...listIds(seen, 'fail'), ...warned.filter((id) => id !== warns)]
  if (alarms.length > 0) return `false alarm: ${alarms.join(', ')}`
  // The checks that it was built for, and that tested nothing.
  const idle = exercises.filter((check) =>
    seen.checks.every(
      ({ id, outcome }) => id.split('@')[0] !== check || outcome === 'inapplicable',
    ),
  )
  if (idle.length > 0) return `not exercised: ${idle.join(', ')}`
  if (warns !== undefined && !warned.includes(warns)) return `no warning of ${warns}`
  if (inconclusive === undefined) {
    return seen.verdict === 'conformant' ? null : `verdict ${seen.verdict}`
  }
  const isInconclusive = listIds(seen, 'untested').includes(inconclusive)
  return isInconclusive ? null : `${inconclusive} is not inconclusive`
}

const complaintOf = (subject: DomainSubject, seen: Seen): string | null => {
  const errors = listIds(seen, 'error')
  if (errors.length > 0) return `errors in ${errors.join(', ')}`
  return subject.kind === 'mutant' ? mutantComplaint(subject, seen) : legalComplaint(subject, seen)
}

let authority: Promise<Authority> | undefined

/** Starts the project on loopback, checks it, and judges the results. No seed changes them. */
export const judgeProject = async (subject: DomainSubject): Promise<Judged> => {
  try {
    authority ??= createAuthority()
    const seen = await checkVariant(subject, await authority)
    const killedBy = listIds(seen, 'fail', 'warn')
    return { killedBy, requests: seen.requests, complaint: complaintOf(subject, seen) }
  } catch (error) {
    // A machine may lack what a variant needs, such as a second address on loopback.
    const complaint = `it could not be started: ${(error as Error).message}`
    return { killedBy: [], requests: 0, complaint }
  }
}
