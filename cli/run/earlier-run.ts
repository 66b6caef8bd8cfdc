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
import { count } from '../../history/quote.ts'
import { readJournal, readRun } from '../../reports/read-run.ts'
import { needsWholeRun, resumeCommand } from '../../reports/reproduce.ts'
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

const known: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id))

/** A clause sends nothing: the check whose response violated it. */
const senderOf = ({ id, evidence }: CheckResult): string => evidence.at(-1)?.check ?? id

/** Of failed checks, those that are sent first: what they judge must be sent again. */
export const sentFirst = (failed: Iterable<CheckResult>): ReadonlySet<string> =>
  new Set([...failed].flatMap((each) => [each.id, senderOf(each)]))

/** Whether it takes a whole run: a clause is also judged with a check of its headline. */
const takesWholeRun = (run: RunFile, failed: readonly CheckResult[]) => {
  const alone = new Set(failed.filter((each) => !needsWholeRun(run, each)).map(({ id }) => id))
  const shown = new Set(
    run.causes?.flatMap(({ explains }) => (explains.some((id) => alone.has(id)) ? explains : [])),
  )
  const isJudgedToo = ({ id, durationMs }: CheckResult) => durationMs === undefined && shown.has(id)
  return (each: CheckResult) => !alone.has(each.id) && !isJudgedToo(each)
}

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
  const ids = failed.map(({ id }) => id)
  const first = sentFirst(failed)
  const whole = failed.filter(takesWholeRun(run, failed)).length
  const all = count(ids.length, 'check', 'checks')
  const why = whole === 0 ? '' : `; ${whole} of them only a whole run can show`
  // Keys go to the host alone that the run was at.
  const isOther = (flags['base-url'] ?? run.target.baseUrl) !== run.target.baseUrl
  const isAnother = run.command?.name !== 'check' || isOther || typeof flags.config === 'string'
  const command = isAnother ? null : run.command
  // Without a configuration the address is that of the run, wherever it had it from.
  const address = command && flags.config === false ? { 'base-url': run.target.baseUrl } : {}
  const kept = { ...address, ...flagsAgain(command, flags) }
  // Within one minute the pets that a check needs are those of the others.
  const isAlone = whole === 0 && kept.wait !== false
  return {
    failed,
    first,
    place: found,
    says: `${all} failed in ${found}${why}`,
    flags: { ...kept, seed: flags.seed ?? run.seed, ...(isAlone && { only: ids }) },
  }
}

/** A clause passes with any response: it has to have judged that of the request that failed. */
const isJudgedAgain = (was: CheckResult, outcomes: ReadonlyMap<string, CheckResult>): boolean => {
  const sender = outcomes.get(senderOf(was))
  return sender === undefined ? !known.has(senderOf(was)) : isTested(sender) && !hasFailed(sender)
}

/** What became of them: one line, and whether all of them pass. */
export const comparedWith = (
  failed: readonly CheckResult[],
  { checks }: Pick<RunFile, 'checks'>,
) => {
  const now = new Map(checks.map((each) => [each.id, each]))
  const left = failed.filter(
    (was) => now.get(was.id)?.outcome !== 'pass' || !isJudgedAgain(was, now),
  )
  const ids = left.map(({ id }) => id).join(', ')
  const fixed = `${failed.length - left.length} of ${count(failed.length, 'failure', 'failures')}`
  return { isFixed: ids === '', line: `${fixed} fixed${ids && `; left: ${ids}`}` }
}

/** @returns also the run file, if nothing is left to do. @throws UsageError of one line */
export const readResumed = (flags: CheckFlags, place: string) => {
  const folder = resolve(place)
  const past = readPastRun(folder)
  const { head } = past
  // A journal may have been edited.
  const seed = runFlags.seed.read('--seed', `${head.seed}`)
  const given = { seed, ...flagsAgain(head.command, flags), resume: place, out: folder }
  const read = readCheckSettings(given, process.env, process.cwd())
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
