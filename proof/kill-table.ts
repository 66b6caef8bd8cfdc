// The kill table: what the checks find at each mutant, and at what is legal. All else that is known
// about mutants is made of it: the fault dictionary, the order of the first minute, the recall.
import { readFileSync, writeFileSync } from 'node:fs'
import {
  type Features,
  type MutantLine,
  printFeatures,
  type Shares,
  type SignatureText,
  shareOf,
} from '../causes/dictionary.ts'
import { permissions } from '../engine/check/context.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import { isViolation } from '../engine/check/outcome.ts'
import type { CheckResult, RunFile } from '../engine/check/run-file.ts'
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import type { Mutant } from '../reference/mutant.ts'
import type { Plan } from '../spec/plans.ts'
import type { RequirementId } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import { listIds, type Subject } from './proof.ts'
import { isServer, makeTarget, provenQuota, type Server, vetServer } from './subjects.ts'
import { openVirtually, runVirtually, type Surrounding } from './virtual-run.ts'

/** A mutant of the server, with what is found there by every means, and with one Free key. */
export interface ServerMutantLine extends MutantLine {
  /** Checks that sent what shows the fault with one Free key, besides those that fail. */
  readonly shownBy: readonly string[]
}

/** Any other subject: the checks that fail there, or warn. */
interface OtherLine extends Pick<Subject, 'id' | 'kind' | 'says' | 'caughtBy'> {
  readonly killedBy: readonly string[]
}

export type KillLine = ServerMutantLine | OtherLine

export const isServerMutant = (line: KillLine): line is ServerMutantLine => 'full' in line

const seed = 7

/** @returns the signature of a run: each check that failed or warned, with its features */
const signatureOf = (checks: readonly CheckResult[]): SignatureText =>
  Object.fromEntries(
    checks
      .filter(({ outcome }) => isViolation(outcome))
      .map((result): [string, Features] => [result.id, printFeatures(result)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const keyAt = (plan: Plan, position: number, own: Partial<KeyOption> = {}): KeyOption => ({
  plan,
  key: `petvet-dictionary-key-${plan}-${position}-5f21c09b`,
  quota: provenQuota(plan),
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

/** The smoke call is in no catalogue. */
const smokeRequirement: RequirementId = 'list.success'

const requirementOf = (caughtBy: string | null): RequirementId =>
  catalogue.find(({ id }) => id === caughtBy)?.requirement ?? smokeRequirement

/** In virtual time; only a published description needs sockets. */
const runFully = async (server: Server): Promise<RunFile> =>
  server.variant.description
    ? (await vetServer(server, seed)).run
    : runAt(makeTarget(server), 'full', seed)

/** The checks that sent what shows any failure. */
const sendersIn = ({ checks }: RunFile, checkOf: (seq: number) => string): Set<string> =>
  new Set(
    checks
      .filter(({ outcome }) => isViolation(outcome))
      .flatMap(({ findings = [] }) => findings.flatMap(({ exchanges }) => exchanges))
      .map(checkOf),
  )

/** By check, to two digits. */
const sharesIn = (checks: readonly CheckResult[]): Shares =>
  Object.fromEntries(
    checks
      .filter(({ outcome }) => isViolation(outcome))
      .flatMap((result): [string, number][] => {
        const share = shareOf(result)
        return share ? [[result.id, Number((share.times / share.judged).toPrecision(2))]] : []
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** What one Free key finds at a mutant. */
const plainPartOf = async (
  server: Server,
): Promise<Pick<ServerMutantLine, 'plain' | 'shownBy'>> => {
  if (server.variant.description) return { plain: {}, shownBy: [] }
  const checks = new Map<number, string>()
  const run = await runAt(makeTarget(server), 'plain', seed, {
    onExchange: (line) => {
      const { seq, check } = JSON.parse(line)
      checks.set(seq, check)
    },
  })
  const plain = signatureOf(run.checks)
  const senders = [...sendersIn(run, (seq) => checks.get(seq) ?? '')]
  return { plain, shownBy: senders.filter((sender) => !(sender in plain)).sort() }
}

export const makeLine = async (subject: Subject): Promise<KillLine> => {
  const { id, kind, says, caughtBy } = subject
  const line = { id, kind, says, caughtBy }
  if (!isServer(subject)) return { ...line, killedBy: (await subject.judge(seed)).killedBy }
  const run = await runFully(subject)
  if (kind !== 'mutant') return { ...line, killedBy: listIds(run, 'fail', 'warn').sort() }
  return {
    ...{ id, kind, says, caughtBy: caughtBy ?? '', requirement: requirementOf(caughtBy) },
    full: signatureOf(run.checks),
    shares: sharesIn(run.checks),
    ...(await plainPartOf(subject)),
  }
}

const file = new URL('../causes/kill-table.json', import.meta.url)

export const readKillTable = (): readonly KillLine[] => JSON.parse(readFileSync(file, 'utf8'))

/** One line per subject, so that a change shows which one it is about. */
export const writeKillTable = (lines: readonly KillLine[]): void =>
  writeFileSync(file, `[\n${lines.map((line) => JSON.stringify(line)).join(',\n')}\n]\n`)
