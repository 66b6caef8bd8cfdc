// The kill table: what the checks find at each mutant, and at what is legal. All else that is known
// about mutants is made of it: the fault dictionary, the order of the first minute, the recall.

import { readFileSync, writeFileSync } from 'node:fs'
import {
  type Features,
  isDrawn,
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
import type { Mutant } from '../reference/variant.ts'
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

const checkKinds = ['walk', 'property', 'invariant', 'targeted'] as const

/** A check that repeats an invariant would raise the recall as well: hence who still finds it. */
type CheckKind = (typeof checkKinds)[number]

const byId = new Map<string, AnyCheck>(catalogue.map((check) => [check.id, check]))

const kindOf = (id: string): CheckKind => {
  if (isDrawn(id)) return 'walk'
  const check = byId.get(id)
  if (check?.kind === 'invariant') return 'invariant'
  return check && 'runs' in check.needs ? 'property' : 'targeted'
}

const areaOf = ({ requirement }: ServerMutantLine): string => requirement.split('.', 1)[0] ?? ''

/** A mutant, and the kinds of the checks that still find it; none: it is missed. */
interface Left {
  readonly line: ServerMutantLine
  readonly by: ReadonlySet<CheckKind>
}

/** @param isOwn whether a check was written for a mutant, or for one of its family */
const leaveOut = (
  lines: readonly ServerMutantLine[],
  isOwn: (check: string, line: ServerMutantLine) => boolean,
): readonly Left[] =>
  lines.map((line) => {
    const others = Object.keys(line.full).filter((check) => !isOwn(check, line))
    return { line, by: new Set(others.map(kindOf)) }
  })

interface Counted {
  readonly found: number
  readonly of: number
  readonly missed: readonly string[]
}

/** The share that is still found, overall and by area, and which are not. */
interface Recall extends Counted {
  readonly title: string
  readonly areas: ReadonlyMap<string, Counted>
  /** How many are found by checks of each kind, and how many by those of that kind alone. */
  readonly kinds: ReadonlyMap<CheckKind, { readonly found: number; readonly alone: number }>
}

const countOf = (all: readonly Left[]): Counted => {
  const missed = all.filter(({ by }) => by.size === 0).map(({ line }) => line.id)
  return { found: all.length - missed.length, of: all.length, missed }
}

const recallOf = (title: string, all: readonly Left[]): Recall => ({
  title,
  ...countOf(all),
  areas: new Map(
    [...Map.groupBy(all, ({ line }) => areaOf(line))].map(([area, own]) => [area, countOf(own)]),
  ),
  kinds: new Map(
    checkKinds.map((kind) => {
      const own = all.filter(({ by }) => by.has(kind))
      return [kind, { found: own.length, alone: own.filter(({ by }) => by.size === 1).length }]
    }),
  ),
})

/** The mutants that show at all when a run has keys of all plans and a test clock. */
const shown = (lines: readonly KillLine[]): readonly ServerMutantLine[] =>
  lines.filter(isServerMutant).filter(({ full }) => Object.keys(full).length > 0)

/**
 * Each mutant without the check that it was made for; and without all checks that were made for
 * mutants of the same requirement.
 */
export const computeRecalls = (
  lines: readonly KillLine[],
): readonly [own: Recall, family: Recall] => {
  const mutants = shown(lines)
  const families = Map.groupBy(mutants, ({ requirement }) => requirement)
  const isOfFamily = (check: string, { requirement }: ServerMutantLine): boolean =>
    families.get(requirement)?.some(({ caughtBy }) => caughtBy === check) ?? false
  return [
    recallOf(
      'leave-one-out',
      leaveOut(mutants, (check, { caughtBy }) => check === caughtBy),
    ),
    recallOf('family left out', leaveOut(mutants, isOfFamily)),
  ]
}

const shareText = ({ found, of }: Counted): string =>
  `${found} of ${of} = ${((100 * found) / of).toFixed(1)} %`

export const recallText = (recall: Recall): string =>
  [
    `${recall.title}: ${shareText(recall)}`,
    '  found by checks of each kind (by these alone): ' +
      [...recall.kinds].map(([kind, { found, alone }]) => `${kind} ${found} (${alone})`).join(', '),
    ...[...recall.areas].map(
      ([area, counted]) => `  ${area}: ${shareText(counted)}; missed: ${counted.missed.join(', ')}`,
    ),
  ].join('\n')
