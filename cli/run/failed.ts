// The failed checks of an earlier run, to be run again: which, how, and what became of them.

import { UsageError } from '../../config/values.ts'
import type { CheckResult, RunCommand, RunFile } from '../../engine/check/run-file.ts'
import { isTested } from '../../engine/check/verdict.ts'
import { count } from '../../history/quote.ts'
import { readRun } from '../../reports/read-run.ts'
import { needsWholeRun } from '../../reports/reproduce.ts'
import { catalogue } from '../../suites/index.ts'
import { type CheckFlags, flagsAgain } from '../flags.ts'
import { newestRunIn, readOrRefuse } from './named-run.ts'

/** Where runs are written by default. */
const usualFolder = 'petvet-runs'

export const hasFailed = ({ outcome }: CheckResult): boolean =>
  outcome === 'fail' || outcome === 'error'

const known: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id))

/** A clause sends nothing: the check whose response violated it. */
const senderOf = ({ id, evidence }: CheckResult): string => evidence.at(-1)?.check ?? id

/** Of failed checks, those that are sent first: what they judge must be sent again. */
export const sentFirst = (failed: Iterable<CheckResult>): ReadonlySet<string> =>
  new Set([...failed].flatMap((each) => [each.id, senderOf(each)]))

const failedIn = ({ checks }: RunFile): readonly CheckResult[] =>
  checks.filter((each) => hasFailed(each) && known.has(each.id))

/** Another one, such as in a minute that was spent, says nothing of what failed before. */
const hasTested = (folder: string): boolean => {
  try {
    return readRun(folder).checks.some(isTested)
  } catch {
    // A damaged one is refused, not passed over.
    return true
  }
}

/** Whether it takes a whole run: a clause is also judged with a check of its headline. */
const takesWholeRun = (run: RunFile, failed: readonly CheckResult[]) => {
  const alone = new Set(failed.filter((each) => !needsWholeRun(run, each)).map(({ id }) => id))
  const shown = new Set(
    run.causes?.flatMap(({ explains }) => (explains.some((id) => alone.has(id)) ? explains : [])),
  )
  const isJudgedToo = ({ id, durationMs }: CheckResult) => durationMs === undefined && shown.has(id)
  return (each: CheckResult) => !alone.has(each.id) && !isJudgedToo(each)
}

/** Keys go to the host alone that the run was at. */
const commandFor = ({ command, target }: RunFile, flags: CheckFlags): RunCommand | null => {
  const isOther = (flags['base-url'] ?? target.baseUrl) !== target.baseUrl
  return command?.name !== 'check' || isOther || typeof flags.config === 'string' ? null : command
}

/**
 * @param place a run file, its folder, or a folder of runs; empty: that of the newest run
 * @returns what failed, what is sent first, and the flags of a run that shows whether it is fixed:
 *   those of the run, unless they are given anew
 * @throws UsageError of one line where there is no such run
 */
export const readFailed = (flags: CheckFlags, place: string) => {
  const named = place || usualFolder
  const found = newestRunIn(named, hasTested)?.place ?? named
  const run = readOrRefuse(found)
  const failed = failedIn(run)
  if (failed.length === 0 && run.verdict === 'error') {
    throw new UsageError(`${found}: the run could not be held, so nothing was tested`)
  }
  const ids = failed.map(({ id }) => id)
  const first = sentFirst(failed)
  const whole = failed.filter(takesWholeRun(run, failed)).length
  const all = count(ids.length, 'check', 'checks')
  const why = whole === 0 ? '' : `; ${whole} of them only a whole run can show`
  const command = commandFor(run, flags)
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
  { checks, command }: Pick<RunFile, 'checks' | 'command'>,
) => {
  const now = new Map(checks.map((each) => [each.id, each]))
  const left = failed.flatMap((was) => {
    const outcome = now.get(was.id)?.outcome ?? 'untested'
    if (outcome === 'fail') return [was.id]
    if (outcome !== 'pass') return [`${was.id} (${outcome})`]
    return isJudgedAgain(was, now) ? [] : [`${was.id} (its request was not judged again)`]
  })
  const all = count(failed.length, 'failure', 'failures')
  const fixed = `${failed.length - left.length} of ${all} fixed`
  const isPart = command?.arguments.some(([flag]) => flag === '--only')
  const isFixed = left.length === 0
  if (!isFixed) return { isFixed, line: `${fixed}; left: ${left.join(', ')}` }
  return { isFixed, line: isPart ? `${fixed}; now run everything` : fixed }
}
