// What every format says of a run: its verdict in words, its totals, what failed, what is partial.

import {
  type CheckResult,
  isDomainsRun,
  type RunFile,
  type Verdict,
} from '../engine/check/run-file.ts'
import { failedThresholds, leftOpen, thresholdPrefix } from '../engine/check/verdict.ts'
import { type Outcome, reasons } from '../history/outcome.ts'
import { count } from '../history/quote.ts'
import type { Level } from '../spec/requirements/requirement.ts'
import { hasNewFailure, type KnownVerdict } from './known-failures.ts'
import { visible } from './visible.ts'

/** All that a report is made of: no format reads a clock, a file or the environment. */
export interface Source {
  readonly run: RunFile
  readonly known: KnownVerdict
}

/** Whether what was sent follows from a seed: a check of domains and recorded traffic have none. */
export const hasSeed = (run: RunFile): boolean =>
  !isDomainsRun(run) && run.command?.name !== 'judge'

export const countViolatedMusts = ({ requirements }: RunFile): number =>
  requirements.filter(({ level, outcome }) => level === 'must' && outcome === 'fail').length

/** Keys that sent anything, by plan and position, with their number of requests. */
export const usedKeys = ({ requestsByKey }: RunFile): [key: string, requests: number][] =>
  Object.entries(requestsByKey).filter(([, requests]) => requests > 0)

export const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** What the run cost: requests, time, and requests by key. */
export const costLine = (run: RunFile): string => {
  const sent = count(run.requests, 'request', 'requests')
  const keys = usedKeys(run).map((each) => each.join(' '))
  const byKey = keys.length === 0 ? '' : `, of them with keys: ${keys.join(', ')}`
  return `${run.target.baseUrl}: ${sent} in ${inSeconds(run.durationMs)}${byKey}`
}

/** The servers of a run, by the name of their column. */
const columnTitles: Readonly<Record<string, string>> = {
  target: 'This server',
  prism: 'Prism mock',
  reference: 'Reference',
}

export const columnTitle = (name: string): string => columnTitles[name] ?? name

/** How outcomes are named where they are counted, in the order in which they are printed. */
const outcomeTotals = [
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['warn', 'warned'],
  ['error', 'in error'],
  ['untested', 'untested'],
  ['observed', 'observed'],
  ['inapplicable', 'not applicable'],
] as const

/** How many checks have each outcome, and how that is called. */
export const countOutcomes = (checks: RunFile['checks']) =>
  outcomeTotals.map(([outcome, words]) => {
    const number = checks.filter((result) => result.outcome === outcome).length
    return { outcome, number, words }
  })

const rareOutcomes: readonly Outcome[] = ['warn', 'error']

/** `331 checks: 232 passed, 0 failed, 20 untested, 59 observed, 20 not applicable` */
export const totals = ({ checks }: Pick<RunFile, 'checks'>): string => {
  const counted = countOutcomes(checks)
    .filter(({ outcome, number }) => number > 0 || !rareOutcomes.includes(outcome))
    .map(({ words, number }) => `${number} ${words}`)
  return `${count(checks.length, 'check', 'checks')}: ${counted.join(', ')}`
}

/** The other servers of a run; of an interrupted one there are no totals. */
export const listBaselines = ({ columns = {} }: RunFile) =>
  Object.entries(columns).map(([name, run]) => {
    const title = columnTitle(name)
    return {
      title,
      run,
      says: run.interrupted ? `${title}: interrupted` : `${title}, ${totals(run)}`,
    }
  })

const verdictWords: Readonly<Record<Verdict, string>> = {
  conformant: 'conformant',
  'not-conformant': 'not conformant',
  undecided: 'undecided',
  error: 'could not run',
}

type Judged = Pick<RunFile, 'verdict' | 'interrupted' | 'decided'>

/** Green, though not every must was tested. */
const isPartlyTested = ({ verdict, decided: { must } }: Judged): boolean =>
  verdict === 'conformant' && must[0] < must[1]

/** That of an interrupted run is preliminary. */
export const verdictInWords = (run: Judged): string => {
  const words = isPartlyTested(run) ? 'no violations found' : verdictWords[run.verdict]
  return `${run.interrupted ? 'so far ' : ''}${words}`
}

/** The outcome whose colour and shape the verdict has. */
export const toneOf = ({ verdict, interrupted, checks }: RunFile) => {
  const { violated, undecided } = failedThresholds(checks)
  if (verdict === 'not-conformant' || violated.length > 0) return 'fail'
  if (verdict === 'error') return 'error'
  const isGreen = verdict === 'conformant' && undecided.length === 0
  return isGreen && !interrupted ? 'pass' : 'untested'
}

/** An error in a check does not end the run. */
export const verdictOfRun = (run: RunFile): string => {
  if (run.verdict !== 'error' || run.impossible !== null) return verdictInWords(run)
  const errors = run.checks.filter(({ outcome }) => outcome === 'error').length
  return `could not run ${count(errors, 'check', 'checks')}`
}

/** Checks that miss the same thing. */
export type UntestedGroup = ReturnType<typeof untestedGroups>[number]

/** Untested checks by what they miss, the largest group first. */
export const untestedGroups = (checks: readonly CheckResult[]) => {
  const untested = checks.filter(({ outcome }) => outcome === 'untested')
  return reasons
    .flatMap((because) => {
      const own = untested.filter((result) => result.because === because)
      const groups = Map.groupBy(own, ({ detail }) => detail)
      return [...groups].map(([detail, group]) => ({ because, detail, checks: group }))
    })
    .toSorted((a, b) => b.checks.length - a.checks.length)
}

export const maxShownGroups = 6

const openGroups = (checks: readonly CheckResult[], strict: boolean) => {
  const open = leftOpen(checks, strict)
  // If nothing leaves the verdict open, no must was tested, whatever was missing.
  return untestedGroups(open.length > 0 ? open : checks)
}

const untestedLine = ({ because, detail, checks }: UntestedGroup): string =>
  `${count(checks.length, 'check', 'checks')} untested, ${because}: ${detail}`

/** Why a run is undecided, in lines: the largest groups of untested checks. */
export const untestedLines = ({ checks }: RunFile, strict: boolean): string[] =>
  openGroups(checks, strict).slice(0, maxShownGroups).map(untestedLine)

/**
 * What most of the untested musts wait for, of a run that is undecided, or green without them.
 * @param isKnown whether all that failed is known: what is untested decides the exit code then
 */
const largestGap = (run: RunFile, isKnown: boolean): string[] => {
  const isOpen = isKnown && leftOpen(run.checks, false).length > 0
  const isUndecided = run.verdict === 'undecided' || isOpen
  if (run.interrupted || !(isUndecided || isPartlyTested(run))) return []
  const checks = isUndecided ? run.checks : run.checks.filter(({ level }) => level === 'must')
  const groups = openGroups(checks, !isUndecided)
  return groups.slice(0, 1).map((largest) => {
    // No reason is that of most where each check has another one.
    const isAny = groups.length > 1 && largest.checks.length === 1
    const line = isAny
      ? `${groups.length} checks untested, each for a reason of its own`
      : untestedLine(largest)
    return `${isOpen ? 'else undecided: ' : ''}${visible(line)}`
  })
}

/** What a run is a statement about. A green one says its musts first, where some are untested. */
const testedIn = (run: RunFile): readonly [first: string, last: string] => {
  const [must, should] = [run.decided.must, run.decided.should].map((one) => one.join(' of '))
  return isPartlyTested(run) && !run.interrupted
    ? [`; ${must} musts tested`, `${should} shoulds tested`]
    : ['', `${must} musts and ${should} shoulds tested`]
}

/** `1 threshold violated (burst p99)` */
const thresholdParts = ({ checks }: RunFile): string[] =>
  Object.entries(failedThresholds(checks)).flatMap(([how, own]) => {
    const names = own.map(({ id }) => id.slice(thresholdPrefix.length).replace('-', ' '))
    const number = count(own.length, 'threshold', 'thresholds')
    return own.length === 0 ? [] : [`${number} ${how} (${names.join(', ')})`]
  })

/**
 * The verdict in one line.
 * @param given why the run could not be held, or what most untested musts wait for
 */
export const verdictLine = (
  run: RunFile,
  known: KnownVerdict,
  given?: readonly string[],
): string => {
  const { excused, stale, moved } = known
  const violated = countViolatedMusts(run)
  const isKnown = run.verdict === 'not-conformant' && !hasNewFailure(run, known)
  const cause =
    given ??
    (run.impossible === null
      ? largestGap(run, isKnown && stale.size === 0)
      : [visible(run.impossible)])
  const [first, last] = testedIn(run)
  const parts = [
    run.interrupted && 'interrupted',
    verdictOfRun(run) + first,
    isKnown && 'but only in known ways',
    ...thresholdParts(run),
    ...cause,
    run.bailedBy !== undefined && `ended at the first failure, ${visible(run.bailedBy)} (--bail)`,
    violated > 0 && `${count(violated, 'must', 'musts')} violated`,
    excused.size > 0 && `${count(excused.size, 'failure', 'failures')} known`,
    stale.size > 0 && count(stale.size, 'stale line', 'stale lines'),
    moved.size > 0 && `${count(moved.size, 'pinned value', 'pinned values')} changed`,
  ].filter((part) => part !== false)
  const seed = hasSeed(run) ? `, seed ${run.seed}` : ''
  return `petvet: ${parts.join(', ')} (${last}${seed})`
}

/** The requirements of which some checks passed and the others did not apply, by id. */
export const partsById = ({ requirements, checks }: RunFile) => {
  const byId = new Map(checks.map((result) => [result.id, result]))
  const parts = requirements.flatMap(({ id, level, outcome, checks: ids }) => {
    const own = ids.flatMap((each) => byId.get(each) ?? [])
    const passed = own.filter((each) => each.outcome === 'pass').length
    const rest = own.filter((each) => each.outcome === 'inapplicable')
    // Why the others did not apply, each reason once.
    const missing = [...new Set(rest.map(({ detail }) => detail))]
    const isPartly = outcome === 'pass' && passed > 0 && rest.length > 0
    return isPartly ? [[id, { level, passed, missing }] as const] : []
  })
  return new Map(parts)
}

/** `9 musts and 1 should`; empty if there are neither. */
export const countByLevel = (own: Iterable<{ readonly level: Level }>): string => {
  const byLevel = Map.groupBy(own, ({ level }) => level)
  const counted = (['must', 'should'] as const).map((level) =>
    count(byLevel.get(level)?.length ?? 0, level, `${level}s`),
  )
  return counted.filter((each) => !each.startsWith('0 ')).join(' and ')
}

/** How many requirements are only partly tested, in one line, if any are. */
export const partlyTested = (run: RunFile): string[] => {
  const counted = countByLevel(partsById(run).values())
  const which = 'of the other checks the HTML report says why they do not apply'
  return counted === '' ? [] : [`Tested only in part, and counted as tested: ${counted}; ${which}.`]
}
