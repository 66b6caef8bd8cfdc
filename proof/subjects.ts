// What the checks are proven on: servers, each with its checks and keys, and published projects.

import { runDiagnosed } from '../causes/run.ts'
import type { DomainSubject } from '../domains/faults/changes.ts'
import { domainSubjects } from '../domains/faults/domain-subjects.ts'
import { type Permission, permissions } from '../engine/check/context.ts'
import type { AnyCheck, Stage } from '../engine/check/declare.ts'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { plainTarget } from '../engine/run/run-options.ts'
import { constants, legalVariants, mutants } from '../reference/mutants.ts'
import { startReference } from '../reference/start.ts'
import type { LegalVariant, Mutant, Variant } from '../reference/variant.ts'
import { type Plan, plans, type Quota } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'

/** The part of the checks that has to find the fault, or must not fail. */
type SuiteName = 'contract' | 'limits' | 'days' | 'both' | 'domains'

/** How its checks judged a subject. */
export interface Judged {
  /** Checks that failed, or warned of a should. */
  readonly killedBy: readonly string[]
  readonly requests: number
  /** What is wrong with the proof, in one line; null where it holds. */
  readonly complaint: string | null
}

/** A server or a published project with one fault, or that no check may fail. */
export interface Subject {
  readonly kind: 'mutant' | 'legal' | 'constant'
  readonly id: string
  /** The fault, or how it differs from the reference. */
  readonly says: string
  /** The check that has to fail; null where none may. */
  readonly caughtBy: string | null
  readonly suite: SuiteName
}

export interface Proof extends Judged, Pick<Subject, 'id' | 'kind' | 'says' | 'caughtBy'> {
  readonly seed: number
}

/** The checks that ended in one of these outcomes. */
export const listIds = (
  { checks }: { checks: readonly Pick<CheckResult, 'id' | 'outcome'>[] },
  ...outcomes: string[]
) => checks.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)

interface Vetting {
  readonly checks: readonly AnyCheck[]
  readonly plans: readonly Plan[]
  readonly allow: readonly Permission[]
}

/** The probes find out what the creations of a burst may use. */
const stagesOfLimits: readonly Stage[] = ['probes', 'limits', 'bans', 'days']

const isOfLimits = (check: AnyCheck): boolean =>
  check.kind === 'clause' || stagesOfLimits.includes(check.needs.stage)

const contract: Vetting = { checks: catalogue, plans: ['free'], allow: ['write', 'expose'] }

/** Two keys of a plan: one of them is for bans. A day takes more calls than everything else. */
const limits: Vetting = {
  checks: catalogue.filter(isOfLimits),
  plans: ['free', 'free'],
  allow: ['write', 'exhaust', 'ban', 'expose'],
}

const days: Vetting = { ...limits, allow: permissions }
const both: Vetting = { ...days, checks: catalogue, plans: ['free', 'free', 'pro'] }
const vettings = { contract, limits, days, both }

/** Enterprise quotas are agreed case by case: this is the one of the proofs. */
export const provenQuota = (plan: Plan): Quota =>
  plan === 'enterprise' ? { perMinute: 90, perDay: 460 } : plans[plan]

/** A key for each plan of a vetting, in its order. */
export const makeKeys = ({ plans: wanted }: Vetting): KeyOption[] =>
  wanted.map((plan, position) => ({
    plan,
    key: `petvet-proof-key-${position}-5f21c09b`,
    quota: provenQuota(plan),
  }))

export interface Server extends Subject {
  /** Checks of a `should` that may warn of a legal variant. */
  readonly warns: readonly string[]
  /** The checks that a legal variant was built for: they have to run there. */
  readonly exercises: readonly string[]
  /** Categories known to exist there, where it knows only some. */
  readonly categories: readonly bigint[]
  readonly vetting: Vetting
  readonly variant: Variant & Pick<LegalVariant, 'isUnread'> & Pick<Mutant, 'overSockets'>
}

const maxRequests = 6_000
const responseTimeoutMs = 5_000

/** False where something was missing; an inconclusive check ran, and has a legal explanation. */
const hasRun = ({ checks }: RunFile, id: string): boolean => {
  const { outcome, because } = checks.find((each) => each.id === id) ?? {}
  if (outcome === 'untested') return because === 'ambiguous'
  return outcome !== undefined && outcome !== 'inapplicable'
}

/** @returns what a legal variant is accused of: failed checks, and warnings that are not listed */
export const listAlarms = ({ warns }: Server, run: RunFile): readonly string[] => [
  ...listIds(run, 'fail', 'error'),
  ...listIds(run, 'warn').filter((id) => !warns.includes(id)),
]

/** @returns what is wrong with how a run judged its subject, in one line; null: nothing */
export const complaintOf = (subject: Server, run: RunFile): string | null => {
  const errors = listIds(run, 'error')
  if (errors.length > 0) return `errors in ${errors.join(', ')}`
  if (subject.kind === 'mutant') {
    const isFound = listIds(run, 'fail', 'warn').includes(subject.caughtBy ?? '')
    return isFound ? null : `not found by ${subject.caughtBy}`
  }
  if (subject.kind === 'constant') {
    const passed = listIds(run, 'pass')
    return passed.length === 0 ? null : `passes ${passed.join(', ')}`
  }
  const alarms = listAlarms(subject, run)
  if (alarms.length > 0) return `false alarm: ${alarms.join(', ')}`
  const idle = subject.exercises.filter((id) => !hasRun(run, id))
  if (idle.length > 0) return `not run: ${idle.join(', ')}`
  // With all keys a server of long responses sends more than a run can keep.
  const isShort = run.verdict === 'undecided' && run.checks.some((one) => one.because === 'budget')
  const due = subject.variant.isUnread ? 'undecided' : 'conformant'
  if (run.verdict === due || isShort) return null
  return `verdict ${run.verdict}: ${run.impossible ?? ''}`
}

/** Starts the server on free ports, and runs its checks. */
export const runOverSockets = async (server: Server, seed: number): Promise<RunFile> => {
  const { vetting, categories, variant } = server
  const keys = makeKeys(vetting)
  const { url, clockUrl, descriptionUrl, close } = await startReference({
    keys,
    clockPort: 0,
    variant,
    // A mutant may break in any way; only its responses count.
    onFault: () => {},
  })
  try {
    return await runDiagnosed(
      vetting.checks,
      {
        ...plainTarget,
        baseUrl: url,
        keys,
        clockUrl: clockUrl ?? null,
        categories,
        allow: vetting.allow,
        descriptionUrl: descriptionUrl ?? null,
        ...{ seed, maxRequests, strict: false, responseTimeoutMs },
        signal: new AbortController().signal,
      },
      { event: () => {} },
    )
  } finally {
    await close()
  }
}

/** What a run in virtual time needs of it. */
export const makeTarget = ({ variant, categories }: Server) => ({ ...variant, categories })

export const isServer = (subject: Subject): subject is Server => 'variant' in subject

const serverOf = (
  kind: Subject['kind'],
  says: string,
  own: Variant &
    Pick<Subject, 'id'> &
    Partial<Omit<Mutant, 'id'> & Omit<LegalVariant, 'id' | 'suite'>>,
): Server => {
  const { id, caughtBy = null, suite = 'contract', keys = [] } = own
  const { warns = [], exercises = [], categories = [] } = own
  const usual = vettings[suite]
  const vetting = { ...usual, plans: [...usual.plans, ...keys] }
  return { kind, id, says, caughtBy, suite, warns, exercises, categories, vetting, variant: own }
}

export const servers: readonly Server[] = [
  ...mutants.map((mutant) => serverOf('mutant', mutant.fault, mutant)),
  ...legalVariants.map((legal) => serverOf('legal', legal.does, legal)),
  ...constants.map((each) => serverOf('constant', each.responds, { ...each, suite: 'both' })),
]

export interface Project extends Subject {
  readonly project: DomainSubject
}

const projects = domainSubjects.map((project): Project => {
  const { kind, id, says } = project
  const caughtBy = project.kind === 'mutant' ? project.caughtBy : null
  return { kind, id, says, caughtBy, suite: 'domains', project }
})

export const subjects: readonly (Server | Project)[] = [...servers, ...projects]

const byId = new Map(subjects.map((subject) => [subject.id, subject]))

/** @throws Error where no subject is called so */
export const findSubject = (id: string): Server | Project => {
  const subject = byId.get(id)
  if (!subject) throw new Error(`no mutant, variant or constant server is called ${id}`)
  return subject
}
