// What changed from one run to another: a pure function of the two, whatever versions wrote them;
// as text for a terminal, and in Markdown for a comment on a change.

import type { Cause, CheckResult, RunFile } from '../engine/check/run-file.ts'
import { isViolation, type Outcome } from '../history/outcome.ts'
import { count } from '../history/quote.ts'
import { block } from './markdown.ts'
import { inSeconds, verdictInWords } from './summary.ts'
import { cut, visible } from './visible.ts'

/** The kinds of changes, and how they are called. */
const headings = {
  newlyFailing: 'Newly failing',
  newlyWarning: 'Newly warning',
  newlyPassing: 'Newly passing',
  newlyTested: 'Newly tested',
  newlyUntested: 'No longer tested',
  added: 'New checks',
  removed: 'Removed checks',
} as const
type Kind = keyof typeof headings

const sideOf = (run: RunFile) => {
  const { petvet, startedAt, seed, verdict, interrupted, decided, requests, durationMs } = run
  const target = run.target.baseUrl
  return { petvet, startedAt, target, seed, verdict, interrupted, decided, requests, durationMs }
}

const states = {
  pass: 'met',
  warn: 'warned',
  fail: 'violated',
  observed: 'open',
  inapplicable: 'untested',
  untested: 'untested',
  // An error says nothing about the target.
  error: 'untested',
} as const satisfies Record<Outcome, string>

const kindOf = (was: Outcome, is: Outcome): Kind | null => {
  const [before, after] = [states[was], states[is]]
  if (before === after) return null
  if (after === 'violated') return 'newlyFailing'
  if (after === 'untested') return 'newlyUntested'
  if (before === 'violated') return 'newlyPassing'
  if (after === 'warned') return 'newlyWarning'
  return before === 'warned' ? 'newlyPassing' : 'newlyTested'
}

/** A check whose outcome changed; null: that run has no such check. */
interface Change
  extends Pick<CheckResult, 'id' | 'requirement' | 'level' | 'because' | 'notGiven' | 'detail'> {
  readonly was: Outcome | null
  readonly is: Outcome | null
}

const changesOf = (old: RunFile, now: RunFile): Readonly<Record<Kind, readonly Change[]>> => {
  const before = new Map(old.checks.map((check) => [check.id, check]))
  const after = new Map(now.checks.map((check) => [check.id, check]))
  // From the newer of the runs that have the check, those of the new run first.
  const all = [...after.values(), ...old.checks.filter(({ id }) => !after.has(id))]
  const byKind = Map.groupBy(all, ({ id }) => {
    const [was, is] = [before.get(id), after.get(id)]
    return was && is ? kindOf(was.outcome, is.outcome) : is ? 'added' : 'removed'
  })
  const changeOf = ({ id, requirement, level, detail }: CheckResult): Change => {
    const { outcome: is = null, because = null, notGiven } = after.get(id) ?? {}
    const change = { was: before.get(id)?.outcome ?? null, is, because }
    return { id, requirement, level, ...change, ...(notGiven && { notGiven }), detail }
  }
  const kinds = Object.keys(headings) as Kind[]
  const changes = kinds.map((kind) => [kind, byKind.get(kind)?.map(changeOf) ?? []])
  return Object.fromEntries(changes)
}

const observationsOf = (old: RunFile, now: RunFile) =>
  Object.entries(now.observations).flatMap(([id, is]) => {
    const was = old.observations[id]
    // How much was seen depends on when a run meets the end of a minute.
    const isByChance = [was, is].some((each) => each?.includes('inconclusive'))
    return was === undefined || was === is || isByChance ? [] : [{ id, was, is }]
  })

/** What makes two runs less comparable where it differs. */
const conditions: readonly (readonly [what: string, of: (run: RunFile) => string])[] = [
  ['targets', ({ target }) => target.baseUrl],
  ['versions of petvet', ({ petvet }) => petvet],
  ['versions of the interface', (run) => run.interface],
  ['plans', ({ target }) => target.plans.join(', ') || 'none'],
  ['test clocks', ({ target }) => (target.clock ? 'one' : 'none')],
]

const notesOf = (old: RunFile, now: RunFile): string[] => [
  ...conditions
    .map(([what, of]) => [what, of(old), of(now)] as const)
    .filter(([, was, is]) => was !== is)
    .map(([what, was, is]) => `the ${what} differ: ${was}, and ${is}`),
  ...Object.entries({ old, new: now }).flatMap(([which, { interrupted, impossible }]) => [
    ...(interrupted ? [`the ${which} run was interrupted`] : []),
    ...(impossible === null ? [] : [`the ${which} run could not run: ${impossible}`]),
  ]),
]

/**
 * Whether a must that is no longer tested makes the run worse, with `strict` a should as well: a
 * key, a clock or a permission is missing, or the target prevented it. Not so an ambiguous
 * response, which depends on chance (other clients, a busy network), an open requirement, or a
 * feature that the target no longer claims, such as a ban.
 */
const isLost = ({ level, is, because, notGiven }: Change, strict: boolean): boolean =>
  (level === 'must' || (strict && level === 'should')) &&
  because !== 'ambiguous' &&
  (is !== 'inapplicable' || notGiven === true)

/** The verdict of an interrupted run is preliminary. */
const isConformant = ({ verdict, interrupted }: RunFile): boolean =>
  verdict === 'conformant' && !interrupted

/**
 * Checks that only one of the runs has are listed, and count as neither better nor worse.
 * @param strict whether a should makes the run worse, too
 */
export const compareRuns = (old: RunFile, now: RunFile, strict = false) => {
  const changes = changesOf(old, now)
  const { newlyFailing, newlyWarning, newlyUntested } = changes
  const isViolated = newlyFailing.length > 0 || (strict && newlyWarning.length > 0)
  const fell = isConformant(old) && !isConformant(now)
  return {
    old: sideOf(old),
    new: sideOf(now),
    changes,
    observations: observationsOf(old, now),
    causes: causeChanges(old, now),
    latency: latencyOf(old, now),
    /** What makes the two less comparable than they look. */
    notes: notesOf(old, now),
    /** Whether a must is newly violated or no longer tested, or the verdict fell. */
    worse: isViolated || newlyUntested.some((each) => isLost(each, strict)) || fell,
  }
}

type Comparison = ReturnType<typeof compareRuns>

/** Percentiles of the load scenarios that both runs have. */
const latencyOf = (old: RunFile, now: RunFile) =>
  (now.load ?? []).flatMap(({ id, columns }) => {
    const was = old.load?.find((scenario) => scenario.id === id)?.columns.target?.latency
    const is = columns.target?.latency
    return was && is
      ? [
          { percentile: `${id}, p50`, oldMs: was.p50Ms, newMs: is.p50Ms },
          { percentile: `${id}, p99`, oldMs: was.p99Ms, newMs: is.p99Ms },
        ]
      : []
  })

/** The headlines that are gone, and those that are new, judged by the checks they explain. */
const causeChanges = (old: RunFile, now: RunFile) => {
  const idsOf = ({ checks }: RunFile, has: (result: CheckResult) => boolean) =>
    new Set(checks.filter(has).map(({ id }) => id))
  const isBad = ({ outcome }: CheckResult) => isViolation(outcome)
  const isGood = ({ outcome }: CheckResult) => outcome === 'pass' || outcome === 'observed'
  const [wasBad, isNowBad, isNowGood] = [idsOf(old, isBad), idsOf(now, isBad), idsOf(now, isGood)]
  return {
    /** Of the old run: nothing of what they explained fails now, and some of it was tested. */
    fixed: (old.causes ?? []).filter(
      ({ explains }) =>
        explains.every((id) => !isNowBad.has(id)) && explains.some((id) => isNowGood.has(id)),
    ),
    /** Of the new run: none of what they explain failed before. */
    new: (now.causes ?? []).filter(({ explains }) => explains.every((id) => !wasBad.has(id))),
  }
}

const transition = (was: string | number, is: string | number): string =>
  was === is ? `${is}` : `${was} → ${is}`

/** An inapplicable check and an ambiguous response depend on chance, not on the server. */
const isByChance = ({ was, is, because }: Change): boolean =>
  was === 'inapplicable' || is === 'inapplicable' || because === 'ambiguous'

export const compareVerdict = ({ worse, changes, observations }: Comparison): string => {
  if (worse) return 'worse'
  const all = Object.values(changes).flat()
  if (observations.length === 0 && all.every(isByChance)) return 'the same'
  const warnings = [...changes.newlyWarning, ...changes.newlyPassing].filter(
    ({ is }) => is === 'warn',
  ).length
  const verdict = changes.newlyPassing.length > 0 ? 'better' : 'not worse'
  return warnings === 0
    ? verdict
    : `${verdict}, with ${count(warnings, 'new warning', 'new warnings')}`
}

const sideVerdict = (side: Comparison['old']): string =>
  `${side.interrupted ? 'interrupted, ' : ''}${verdictInWords(side)}`

const shownMs = (ms: number): string => (ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2))

/** What the two runs were and cost, by name. */
const facts = ({ old, new: now, latency, notes }: Comparison): [name: string, value: string][] => [
  ['Verdict', transition(sideVerdict(old), sideVerdict(now))],
  ['Musts tested', `${old.decided.must.join(' of ')} → ${now.decided.must.join(' of ')}`],
  ['Requests', transition(old.requests, now.requests)],
  ['Time', `${inSeconds(old.durationMs)} → ${inSeconds(now.durationMs)}`],
  ['Target', now.target],
  ['Runs of', `${old.startedAt} and ${now.startedAt}`],
  ...latency.map(({ percentile, oldMs, newMs }): [string, string] => [
    'Latency',
    `${percentile}: ${shownMs(oldMs)} → ${shownMs(newMs)} ms`,
  ]),
  ...notes.map((text): [string, string] => ['Note', text]),
]

const maxTextCharacters = 160

/** What changed, how, and what that is about. */
const listed = (what: string, how: string, detail: string): string[] => [
  `  ${visible(what)}  ${how}`,
  ...(detail === '' ? [] : [`    ${cut(visible(detail), maxTextCharacters)}`]),
]

/** The outcomes as `pass → untested (key)`; one where only one run has the check. */
const changeLines = ({ id, was, is, because, level, requirement, detail }: Change): string[] => {
  const outcomes = [was, is].filter((outcome) => outcome !== null).join(' → ')
  const why = because === null ? '' : ` (${because})`
  return listed(id, `${outcomes}${why}, ${level}: ${requirement}`, detail)
}

const causeLines = ({ observed, explains }: Cause): string[] =>
  listed(observed, count(explains.length, 'failure', 'failures'), explains.join(', '))

const compareLines = (compared: Comparison): string[] => {
  const { causes, changes, observations } = compared
  const sections: [heading: string, rows: string[][]][] = [
    ['Headlines that are gone', causes.fixed.map(causeLines)],
    ['New headlines', causes.new.map(causeLines)],
    ...Object.entries(headings).map(([kind, heading]): [string, string[][]] => [
      heading,
      changes[kind as Kind].map(changeLines),
    ]),
    [
      'Observations that changed',
      observations.map(({ id, was, is }) => listed(id, 'observed', `${was} → ${is}`)),
    ],
  ]
  return [
    ...facts(compared).map(([name, value]) => `${name.padEnd(14)} ${visible(value)}`),
    ...sections.flatMap(([heading, rows]) =>
      rows.length === 0 ? [] : ['', `${heading} (${rows.length})`, ...rows.flat()],
    ),
  ]
}

const petvetVerdict = (compared: Comparison): string => `petvet: ${compareVerdict(compared)}`

/** Plain text; the last line is the verdict. */
export const compareText = (compared: Comparison): string =>
  `${[...compareLines(compared), '', petvetVerdict(compared)].join('\n')}\n`

export const compareMarkdown = (compared: Comparison): string =>
  `## ${petvetVerdict(compared)}\n\n${block('text', compareLines(compared))}`
