// What changed from one run to another: a pure function of the two, whatever versions wrote them.

import { isNotGiven } from '../../engine/lack.ts'
import type { Because, Outcome } from '../../engine/outcome.ts'
import type { CheckResult, RunFile, Verdict } from '../../engine/run-file.ts'

/** A check whose outcome is not what it was; null where the other run has no such check. */
export interface Change {
  readonly id: string
  readonly requirement: string
  readonly level: CheckResult['level']
  readonly was: Outcome | null
  readonly is: Outcome | null
  /** What it lacks now, where it is untested. */
  readonly because: Because | null
  /** What the newer of the two runs that have it says of it. */
  readonly detail: string
}

export interface ObservationChange {
  readonly id: string
  readonly was: string
  readonly is: string
}

export const kinds = [
  'newlyFailing',
  'newlyWarning',
  'newlyPassing',
  'newlyDecided',
  'newlyUndecided',
  'added',
  'removed',
] as const
export type Kind = (typeof kinds)[number]

export interface Side {
  readonly petvet: string
  readonly startedAt: string
  readonly target: string
  readonly seed: number
  readonly verdict: Verdict
  readonly interrupted: boolean
  readonly decided: RunFile['decided']
  readonly requests: number
  readonly durationMs: number
}

export interface Comparison {
  readonly old: Side
  readonly new: Side
  readonly changes: Readonly<Record<Kind, readonly Change[]>>
  readonly observations: readonly ObservationChange[]
  /** What makes the two less comparable than they look. */
  readonly notes: readonly string[]
  /** Whether a sentence is broken that was not, or no longer decided, or the verdict fell. */
  readonly worse: boolean
}

const sideOf = (run: RunFile): Side => ({
  petvet: run.petvet,
  startedAt: run.startedAt,
  target: run.target.baseUrl,
  seed: run.seed,
  verdict: run.verdict,
  interrupted: run.interrupted,
  decided: run.decided,
  requests: run.requests,
  durationMs: run.durationMs,
})

type Standing = 'kept' | 'warned' | 'broken' | 'open' | 'undecided'

const standings: Readonly<Record<Outcome, Standing>> = {
  pass: 'kept',
  warn: 'warned',
  fail: 'broken',
  observed: 'open',
  inapplicable: 'undecided',
  untested: 'undecided',
  // An error says nothing about the target.
  error: 'undecided',
}

/** The kind of a change; a table, so that no pair is forgotten. */
const kindOf = (was: Outcome, is: Outcome): Kind | null => {
  const [before, after] = [standings[was], standings[is]]
  if (before === after) return null
  if (after === 'broken') return 'newlyFailing'
  if (after === 'undecided') return 'newlyUndecided'
  if (before === 'broken') return 'newlyPassing'
  if (after === 'warned') return 'newlyWarning'
  return before === 'warned' ? 'newlyPassing' : 'newlyDecided'
}

const changeOf = (
  was: CheckResult | undefined,
  is: CheckResult | undefined,
): [Kind, Change] | null => {
  const shown = is ?? was
  const kind = was && is ? kindOf(was.outcome, is.outcome) : is ? 'added' : 'removed'
  if (kind === null || shown === undefined) return null
  const { id, requirement, level, detail } = shown
  const outcomes = { was: was?.outcome ?? null, is: is?.outcome ?? null }
  return [kind, { id, requirement, level, ...outcomes, because: is?.because ?? null, detail }]
}

const changesOf = (old: RunFile, now: RunFile): Comparison['changes'] => {
  const before = new Map(old.checks.map((check) => [check.id, check]))
  const after = new Map(now.checks.map((check) => [check.id, check]))
  const ids = [...new Set([...after.keys(), ...before.keys()])]
  const found = ids
    .map((id) => changeOf(before.get(id), after.get(id)))
    .filter((each) => each !== null)
  const of = (kind: Kind) => found.filter(([own]) => own === kind).map(([, change]) => change)
  return {
    newlyFailing: of('newlyFailing'),
    newlyWarning: of('newlyWarning'),
    newlyPassing: of('newlyPassing'),
    newlyDecided: of('newlyDecided'),
    newlyUndecided: of('newlyUndecided'),
    added: of('added'),
    removed: of('removed'),
  }
}

const observationsOf = (old: RunFile, now: RunFile): ObservationChange[] =>
  Object.entries(now.observations).flatMap(([id, is]) => {
    const was = old.observations[id]
    return was === undefined || was === is ? [] : [{ id, was, is }]
  })

const notesOf = (old: RunFile, now: RunFile): string[] => [
  ...differing('the targets differ', old.target.baseUrl, now.target.baseUrl),
  ...differing('the versions of petvet differ', old.petvet, now.petvet),
  ...differing('the versions of the interface differ', old.interface, now.interface),
  ...differing('the plans differ', old.target.plans.join(', '), now.target.plans.join(', ')),
  ...differing('the test clocks differ', clockOf(old), clockOf(now)),
  ...(old.interrupted ? ['the old run was interrupted'] : []),
  ...(now.interrupted ? ['the new run was interrupted'] : []),
  ...(old.impossible === null ? [] : [`the old run could not be held: ${old.impossible}`]),
  ...(now.impossible === null ? [] : [`the new run could not be held: ${now.impossible}`]),
]

const clockOf = ({ target }: RunFile): string => (target.clock ? 'one' : 'none')

const differing = (what: string, was: string, is: string): string[] =>
  was === is ? [] : [`${what}: ${was || 'none'}, and ${is || 'none'}`]

/**
 * What was decided and is not any more: a key, a clock or a permission was lost, or the target let
 * less be asked. A legal explanation of what was seen comes by chance, on a busy network or beside
 * other clients, an open question decides nothing, and what a target does not claim any more, such
 * as a ban, it may leave out.
 */
const isLost = ({ level, is, because, detail }: Change): boolean =>
  level !== 'open' && because !== 'ambiguous' && (is !== 'inapplicable' || isNotGiven(detail))

/** What an interrupted run has seen is no verdict yet. */
const isConformant = ({ verdict, interrupted }: RunFile): boolean =>
  verdict === 'conformant' && !interrupted

/** Checks that only one of the runs has are told, and are nothing better or worse. */
export const compareRuns = (old: RunFile, now: RunFile): Comparison => {
  const changes = changesOf(old, now)
  const { newlyFailing, newlyWarning, newlyUndecided } = changes
  const isBroken = newlyFailing.length > 0 || newlyWarning.length > 0
  const fell = isConformant(old) && !isConformant(now)
  return {
    old: sideOf(old),
    new: sideOf(now),
    changes,
    observations: observationsOf(old, now),
    notes: notesOf(old, now),
    worse: isBroken || newlyUndecided.some(isLost) || fell,
  }
}
