// What a run finds at each mutant, with every means and with few: the fault dictionary.
import {
  type DictionaryText,
  type Features,
  type SignatureText,
  textsOf,
} from '../causes/dictionary.ts'
import { permissions } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import type { KeyOption } from '../engine/check/keys.ts'
import { isViolation } from '../engine/check/outcome.ts'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import { smokeId } from '../engine/run/smoke.ts'
import type { Mutant } from '../reference/mutant.ts'
import { mutants } from '../reference/mutants.ts'
import type { Plan } from '../spec/plans.ts'
import type { RequirementId } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import { workThrough } from './pool.ts'
import { proveWithRun } from './proof.ts'
import { quotaOf, subjects } from './subject.ts'
import { openVirtually, runVirtually, type Surrounding } from './virtual-run.ts'

/** @returns the signature of a run: each check that failed or warned, with its features */
const signatureOf = (checks: readonly CheckResult[]): SignatureText =>
  Object.fromEntries(
    checks
      .filter(({ outcome }) => isViolation(outcome))
      .map((result): [string, Features] => [result.id, textsOf(result)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** What a run found at one mutant. */
export interface Signatures {
  readonly id: string
  readonly full: SignatureText
  readonly plain: SignatureText
}

const keyAt = (plan: Plan, position: number, own: Partial<KeyOption> = {}): KeyOption => ({
  plan,
  key: `petvet-dictionary-key-${plan}-${position}-5f21c09b`,
  quota: quotaOf(plan),
  ...own,
})

const conditions = {
  full: {
    keys: [
      keyAt('free', 1),
      keyAt('free', 2),
      keyAt('pro', 1),
      keyAt('business', 1),
      keyAt('enterprise', 1),
      keyAt('free', 3, { use: 'ban' }),
    ],
    hasClock: true,
    allow: permissions,
  },
  plain: { keys: [keyAt('free', 1)], hasClock: false, allow: ['write'] },
} as const

export type Condition = keyof typeof conditions

/** @param own what surrounds the run otherwise than where the dictionary is made */
export const runAt = async (
  mutant: Pick<Mutant, 'parts' | 'handle' | 'basePath' | 'categories'>,
  condition: Condition,
  seed: number,
  { onExchange, ...own }: Partial<Surrounding> & { onExchange?: (line: string) => void } = {},
  checks: readonly AnyCheck[] = catalogue,
): Promise<RunFile> => {
  const { keys, ...allowed } = conditions[condition]
  const surrounding = {
    ...allowed,
    latency: { minMs: 2, maxMs: 2, seed },
    skewMs: 0,
    startMs: Date.UTC(2026, 10, 20, 10),
    shared: false,
    maxRequests: 10_000,
    seed,
    basePath: mutant.basePath,
    categories: mutant.categories,
    ...own,
  }
  return runVirtually(openVirtually(mutant, keys, surrounding), checks, onExchange)
}

/** What the first minute of a Free key finds with these checks. */
export const firstMinute = (
  mutant: Pick<Mutant, 'parts' | 'handle' | 'basePath' | 'categories'>,
  ofSeed: number,
  checks: readonly AnyCheck[] = catalogue,
): Promise<RunFile> => runAt(mutant, 'plain', ofSeed, { noWait: true }, checks)

/**
 * Runs the suites on one mutant twice: with keys of all plans and a test clock, and with one Free
 * key and nothing else. Both happen in virtual time; only a published description needs sockets.
 */
export const signaturesOf = async (id: string, seed: number): Promise<Signatures> => {
  const mutant = mutants.find((each) => each.id === id)
  const subject = subjects.find((each) => each.id === id)
  if (!mutant || !subject) throw new Error(`no mutant is called ${id}`)
  if (mutant.description) {
    return { id, full: signatureOf((await proveWithRun(subject, seed)).run.checks), plain: {} }
  }
  const full = signatureOf((await runAt(mutant, 'full', seed)).checks)
  const plain = signatureOf((await runAt(mutant, 'plain', seed)).checks)
  return { id, full, plain }
}

const requirementOf = (caughtBy: string): RequirementId =>
  catalogue.find(({ id }) => id === caughtBy)?.requirement ?? smokeRequirement

/** The smoke call is in no catalogue. */
const smokeRequirement: RequirementId = 'list.success'

/** @returns the entries of these mutants, one for all that no check separates */
const entriesOf = (found: readonly Signatures[]): DictionaryText => {
  const visible = found.filter(({ full, plain }) => Object.keys({ ...full, ...plain }).length > 0)
  const alike = Map.groupBy(visible, ({ full, plain }) => JSON.stringify([full, plain]))
  return [...alike.values()].map((all) => {
    const own = all.flatMap(({ id }) => mutants.find((mutant) => mutant.id === id) ?? [])
    const [{ full, plain } = { full: {}, plain: {} }] = all
    const caughtBy = own[0]?.caughtBy ?? smokeId
    return {
      mutants: own.map(({ id }) => id),
      faults: own.map(({ fault }) => fault),
      requirement: requirementOf(caughtBy),
      caughtBy,
      full,
      plain,
    }
  })
}

const worker = new URL('./signature-worker.ts', import.meta.url)

/** The entries of the mutants with these ids, found in worker threads. */
export const findEntries = async (
  ids: readonly string[],
  report: (found: Signatures) => void,
): Promise<DictionaryText> => {
  const servers = ids.map((id) => ({ id }))
  const { signal } = new AbortController()
  return entriesOf(await workThrough<Signatures>(servers, 7, report, signal, worker))
}
