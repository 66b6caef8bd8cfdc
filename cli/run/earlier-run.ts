// An earlier run: a finished one by its run file, its folder, or a folder of several runs; what
// failed in it, to be run again; an interrupted one, to be resumed with the options that it had.

import { existsSync, globSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { orRefuse, UsageError } from '../../config/values.ts'
import { sendsRequests } from '../../engine/check/declare.ts'
import type { CheckResult, RunFile } from '../../engine/check/run-file.ts'
import { decideVerdict, isTested } from '../../engine/check/verdict.ts'
import type { Head, Past, Start } from '../../engine/run/journal.ts'
import { withoutResult } from '../../engine/run/results.ts'
import { makeStart } from '../../engine/run/resume.ts'
import { smokeId } from '../../engine/run/smoke.ts'
import { count } from '../../history/quote.ts'
import { readJournal, readRun } from '../../reports/read-run.ts'
import { needsHistory, resumeCommand } from '../../reports/reproduce.ts'
import { journalName, runFileName } from '../../reports/run-folder.ts'
import { catalogue } from '../../suites/index.ts'
import { type CheckFlags, flagsAgain, runFlags } from '../flags.ts'
import { beingWritten } from '../output/folder.ts'
import { readCheckSettings } from './recorded.ts'

/** @throws UsageError of one line where there is no run */
export const readOrRefuse = (place: string): RunFile =>
  orRefuse(
    () => readRun(place),
    ({ code, message }) =>
      code === 'ENOENT' ? (withoutRunFile(place) ?? `${place}: there is no run`) : message,
  )

/** @throws UsageError of one line where there is nothing to resume */
const readPastRun = (folder: string): Past => {
  if (!existsSync(join(folder, journalName))) {
    const what = 'only a run of petvet check at a target of its own leaves one'
    throw new UsageError(`${folder} has no ${journalName} to resume from: ${what}`)
  }
  const past = orRefuse(
    () => readJournal(folder),
    ({ code, message }) => `${folder}: its journal cannot be resumed from: ${code ?? message}`,
  )
  if (past) return past
  throw new UsageError(`${folder}: the run was interrupted before it started; begin a new one`)
}

/** The message for a folder whose run has no run file; undefined if it has no run. */
const withoutRunFile = (folder: string): string | undefined => {
  const written = beingWritten(folder)
  if (written !== undefined) return `${written}: it has a report when it ends`
  if (!existsSync(join(folder, journalName))) return undefined
  const { results, head, seq } = readPastRun(folder)
  const failed = results.filter(({ outcome }) => outcome === 'fail').length
  const tested = `${results.length} of ${head.checks.length} checks`
  const failures = failed === 0 ? '' : `, ${failed} of them failed`
  const what = `the run was interrupted after ${tested}${failures}, ${seq} requests`
  return `${folder}: ${what}; resume with: ${resumeCommand(head.command, folder)}`
}

/** The folder with the other files of a run. */
export const runFolder = (run: string): string => {
  const place = resolve(run)
  return place.endsWith('.json') ? dirname(place) : place
}

/**
 * @returns the newest run of a folder of runs, and a line that says which of how many it is;
 *   undefined for the folder of a run, or one without runs
 */
export const newestRunIn = (place: string) => {
  if (modifiedMs(join(place, runFileName)) > 0) return undefined
  // `--watch` writes a folder of rounds.
  const runs = globSync(`{*,*/*}/${runFileName}`, { cwd: place })
    .map((file) => join(place, dirname(file)))
    .map((folder) => ({ folder, endedMs: modifiedMs(join(folder, runFileName)) }))
    .toSorted((a, b) => b.endedMs - a.endedMs || b.folder.localeCompare(a.folder))
  const [newest] = runs
  if (newest === undefined) return undefined
  const says = `${place} holds ${count(runs.length, 'run', 'runs')}; the newest is ${newest.folder}`
  return { place: newest.folder, says }
}

/** 0 where there is no such file. */
const modifiedMs = (path: string): number => {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.mtimeMs : 0
}

export const hasFailed = ({ outcome }: CheckResult): boolean =>
  outcome === 'fail' || outcome === 'error'

const known: ReadonlySet<string> = new Set([smokeId, ...catalogue.map(({ id }) => id)])

/** A clause sends nothing: the checks whose responses violated it. */
const sendersOf = ({ id, evidence }: CheckResult): readonly string[] =>
  evidence.map(({ check = id }) => check)

/** Of failed checks, those that are sent first: what they judge must be sent again. */
export const sentFirst = (failed: Iterable<CheckResult>): ReadonlySet<string> =>
  new Set([...failed].flatMap((each) => [each.id, ...sendersOf(each)]))

/** Whether they need pets, of which a run that may not wait makes few before it. */
const needPets = (ids: readonly string[]): boolean =>
  catalogue.some((each) => ids.includes(each.id) && sendsRequests(each) && each.needs.pets)

/**
 * @param place a run file, its folder, or a folder of runs; empty: that of the newest run
 * @returns what failed, what is sent first, and the flags of a run that shows whether it is fixed:
 *   those of the run, unless they are given anew
 * @throws UsageError of one line where there is no such run
 */
export const readFailed = (flags: CheckFlags, place: string) => {
  // Where runs are written by default.
  const named = place || 'petvet-runs'
  const found = newestRunIn(named)?.place ?? named
  const run = readOrRefuse(found)
  const failed = run.checks.filter((each) => hasFailed(each) && known.has(each.id))
  // Such as in a minute that was spent: that says nothing of what failed before.
  if (!run.checks.some(isTested)) throw new UsageError(`${found}: nothing was tested in that run`)
  const [history = [], alone = []] = [true, false].map((isOfHistory) =>
    failed.filter((each) => needsHistory(run, each) === isOfHistory),
  )
  const first = sentFirst(failed)
  const only = [...sentFirst(alone)].filter((id) => known.has(id))
  const all = count(failed.length, 'check', 'checks')
  const why = history.length === 0 ? '' : `; only a whole run can show ${idsOf(history)}`
  // Keys go to the host alone that the run was at.
  const isOther = (flags['base-url'] ?? run.target.baseUrl) !== run.target.baseUrl
  const isAnother = run.command?.name !== 'check' || isOther || typeof flags.config === 'string'
  const command = isAnother ? null : run.command
  // Without a configuration the address is that of the run, wherever it had it from.
  const address = command && flags.config === false ? { 'base-url': run.target.baseUrl } : {}
  const kept = { ...address, ...flagsAgain(command, flags) }
  const isAlone = alone.length > 0 && (kept.wait !== false || !needPets(only))
  return {
    failed,
    /** Those that are left out. */
    leftOut: isAlone ? history : [],
    first,
    place: found,
    says: `${all} failed in ${found}${why}`,
    flags: {
      ...kept,
      seed: flags.seed ?? run.seed,
      ...(isAlone && { only }),
    },
  }
}

/** A clause passes with any response: it has to have judged those of the requests that failed. */
const isJudgedAgain = (was: CheckResult, outcomes: ReadonlyMap<string, CheckResult>): boolean =>
  sendersOf(was).every((id) => {
    const sender = outcomes.get(id)
    return sender === undefined ? !known.has(id) : isTested(sender) && !hasFailed(sender)
  })

const idsOf = (checks: readonly CheckResult[]): string => checks.map(({ id }) => id).join(', ')

/**
 * What became of them: one line, and whether all of them pass.
 * @param leftOut those that were not sent again
 */
export const comparedWith = (
  failed: readonly CheckResult[],
  leftOut: readonly CheckResult[],
  { checks }: Pick<RunFile, 'checks'>,
) => {
  const now = new Map(checks.map((each) => [each.id, each]))
  const byFate = Map.groupBy(failed, (was) => {
    const is = now.get(was.id)
    if (is && hasFailed(is)) return 'left'
    if (leftOut.includes(was)) return 'only a whole run can show'
    return is?.outcome === 'pass' && isJudgedAgain(was, now) ? 'fixed' : 'not tested again'
  })
  const { fixed = [], ...open } = Object.fromEntries(byFate)
  const before = new Set(failed.map(({ id }) => id))
  const added = checks.filter((each) => hasFailed(each) && !before.has(each.id))
  const parts = [...Object.entries(open), ['new', added] as const]
    .filter(([, own]) => own.length > 0)
    .map(([what, own]) => `; ${what}: ${idsOf(own)}`)
  const number = `${fixed.length} of ${count(failed.length, 'failure', 'failures')} fixed`
  return { isFixed: fixed.length === failed.length, line: `${number}${parts.join('')}` }
}

/** @returns also the run file, if nothing is left to do. @throws UsageError of one line */
export const readResumed = (flags: CheckFlags, place: string) => {
  const folder = resolve(place)
  const past = readPastRun(folder)
  const { head } = past
  // A journal may have been edited.
  const seed = runFlags.seed.read('--seed', `${head.seed}`)
  const given = { seed, ...flagsAgain(head.command, flags), resume: place, out: folder }
  const read = readCheckSettings(given)
  const target = { ...read.target, shared: head.shared }
  refuseOther({ ...target, seed: read.run.seed }, head)
  const ids = new Set(head.checks)
  const checks = read.checks.filter(({ id }) => ids.has(id))
  const run = { ...read.run, ...(head.command && { command: head.command }) }
  const settings = { ...read, run, checks, target }
  const isOver = !withoutResult(checks, past.results).some(sendsRequests)
  return { settings, past, over: isOver ? finishedIn(folder, settings.strict) : null }
}

/** @throws UsageError that names the option which differs */
const refuseOther = (options: Parameters<typeof makeStart>[0], head: Head): void => {
  const start = makeStart(options, head.salt)
  const names = Object.keys(start) as (keyof Start)[]
  const name = names.find((each) => !isDeepStrictEqual(start[each], head[each]))
  if (name === undefined) return
  const remedy = 'resume it with the same, or begin a new run'
  throw new UsageError(`the run was started with another value of ${name}: ${remedy}`)
}

/** The run file of a run that came to its end. */
const finishedIn = (folder: string, strict: boolean): RunFile | null => {
  if (!existsSync(join(folder, runFileName))) return null
  const run = readOrRefuse(folder)
  if (run.interrupted || run.impossible !== null) return null
  // `--strict` may be new.
  return run.verdict === 'undecided'
    ? run
    : { ...run, verdict: decideVerdict(run.checks, false, strict) }
}
