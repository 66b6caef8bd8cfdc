// What a watch is told, held to be sound before anything is sent.
import { withSetUp } from '../../suites/fill.ts'
import type { Question } from '../../suites/kit/check.ts'
import { isLoopback } from '../addresses.ts'
import { type CheckFlags, type CheckSettings, readCheckSettings } from '../check-settings.ts'
import type { Target } from '../target.ts'
import { UsageError } from '../usage-error.ts'
import { type Place, placeOf } from './port.ts'
import type { Scope } from './wishes.ts'

export interface WatchSettings {
  readonly check: CheckSettings
  readonly target: Target
  /** Null where another machine stands between, whose port says nothing of the target. */
  readonly place: Place | null
  readonly isLocal: boolean
  /** Whether the date of the removal is gone to only where everything is asked. */
  readonly sparesDate: boolean
}

/** These tell or keep one run, and a watch has many. */
const ofOneRun = ['resume', 'json', 'update-known'] as const

/** @param hasKeyboard whether somebody can press a key */
export const readWatchSettings = (flags: CheckFlags, hasKeyboard: boolean): WatchSettings => {
  const other = ofOneRun.find((name) => flags[name] !== undefined && flags[name] !== false)
  if (other) throw new UsageError(`--watch and --${other} exclude each other`)
  const check = readCheckSettings(flags, process.env, process.cwd())
  const { target } = check
  if (target === null) {
    throw new UsageError('--watch needs a base-url: petvet check BASE-URL --watch --key ...')
  }
  const url = new URL(target.baseUrl)
  const place = target.reach.proxyOf(url) === null ? placeOf(target.baseUrl) : null
  if (place === null && !hasKeyboard) {
    throw new UsageError('--watch through a proxy needs a terminal: only a key can begin a round')
  }
  return {
    check,
    target,
    place,
    isLocal: isLoopback(url.hostname),
    // The clock moves forward only: past that date no further round could be whole.
    sparesDate: target.clockUrl !== null && flags.only === undefined,
  }
}

const goesToDate = (question: Question) =>
  question.kind !== 'invariant' && ['time', 'removal'].includes(question.needs.stage)

/** @param failing what failed, and what made it fail */
export const questionsOf = (
  { check, sparesDate }: WatchSettings,
  scope: Scope,
  failing: ReadonlySet<string>,
): readonly Question[] => {
  const { questions } = check
  if (scope === 'failed') {
    return withSetUp(
      questions,
      questions.filter(({ id }) => failing.has(id)),
    )
  }
  const isSpared = sparesDate && scope !== 'all'
  return isSpared ? questions.filter((question) => !goesToDate(question)) : questions
}
