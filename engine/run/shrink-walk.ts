// Shrinks a failing walk by leaving out steps, on the same target, and shows what is left.

import { type AnsweredExchange, statusCode, withKey } from '../../history/exchange.ts'
import { Untested, Violation } from '../../history/outcome.ts'
import { short } from '../../model/clause.ts'
import type { Judged } from '../../model/judge.ts'
import type { Context } from '../check/context.ts'
import { expectAllRead } from '../check/control-request.ts'
import { joined } from '../check/findings.ts'
import { leaveOut } from '../check/shrink.ts'
import { type Found, type Step, type Walked, walk } from './walk.ts'

/** Requests that may be sent to shrink a failing walk. */
const maxForShrinking = 150

/** Equal for breaches that are one and the same failure, however many pets it is about. */
const failureOf = ({ part, violation: { wrong, evidence } }: Found): string => {
  const last = evidence.at(-1)
  const kind = wrong.aspect === 'count' ? wrong.kind === 'too many' : wrong.kind
  return [part, wrong.aspect, wrong.name, kind, last && statusCode(last)].join('|')
}

const requestsOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, step) => sum + (step.kind === 'send' ? step.requests.length : 0), 0)

/** The requests that were sent at the same time, one by one. */
const apart = (step: Step): readonly Step[] =>
  step.kind === 'move'
    ? [step]
    : step.requests.map((request) => ({ kind: 'send', requests: [request] }))

/** Short ends of the steps: what the last one has alone, what the evidence is about, all others. */
function* endsOf({ steps, from }: Found): Generator<readonly Step[]> {
  const last = steps.at(-1)
  if (!last) return
  for (const single of apart(last)) yield [single]
  if (from !== undefined) yield [...steps.slice(from, from + 1), last]
  for (let length = 2; length < 2 * steps.length; length *= 2) yield steps.slice(-length)
}

/** The shortest sequence that was found to fail likewise; undefined: none was. */
const shrink = async (context: Context, found: Found): Promise<Found | undefined> => {
  let left = maxForShrinking
  let best: Found | undefined
  const fails = (isOwn: boolean) => async (steps: readonly Step[]) => {
    if (requestsOf(steps) > left) return false
    left -= requestsOf(steps)
    const walked = await walk(context, steps, { isOwn })
    if (walked.lost) throw walked.lost.error
    const same = walked.found.find((one) => failureOf(one) === failureOf(found))
    best = same ?? best
    return same !== undefined
  }
  // If only what the sequence itself sent is looked for, it shows all that matters.
  for (const isOwn of [true, false]) {
    for (const steps of endsOf(found)) if (!best) await fails(isOwn)(steps)
    if (!best) continue
    const single = best.steps.flatMap(apart)
    if (single.length > best.steps.length) await fails(isOwn)(single)
    await leaveOut(best.steps, fails(isOwn), 1)
    return best
  }
  return undefined
}

const shown = ({ apiRequest, movedMs, response }: AnsweredExchange, startMs: number): string => {
  const { method, path, body, authorization } = apiRequest
  const laterMs = movedMs - startMs
  const when = laterMs > 0 ? ` (clock + ${Math.round(laterMs / 1_000)} s)` : ''
  const key = authorization === 'valid' ? '' : ' without a valid key'
  const text = typeof body === 'string' ? ` ${body}` : ''
  return `${short(`${method} ${path}${key}${text}`)}${when} -> ${response.status}`
}

const listed = (exchanges: readonly AnsweredExchange[]): string => {
  const startMs = exchanges[0]?.movedMs ?? 0
  return exchanges.map((one, at) => `${at + 1}. ${shown(one, startMs)}`).join('; ')
}

/** What a failure shows of a sequence that was not shrunk. */
const maxShown = 12

/** The shortest sequence that was found to fail, as the evidence of its violation. */
const shrunk = async (context: Context, found: Found) => {
  const best = await shrink(context, found)
  const { violation, exchanges } = best ?? found
  const { expected, actual, evidence, wrong } = violation
  const last = evidence.at(-1)
  const before = exchanges.filter((one) => one !== last).slice(-maxShown)
  // The evidence may show more than the end of a whole walk does.
  const isShown = best === undefined && evidence.length > 1
  if (before.length === 0 || !last?.response || isShown) return { violation, steps: '' }
  const all = [...before, last as AnsweredExchange]
  const own = best ? { ...wrong, inSequence: true as const } : wrong
  return {
    violation: new Violation(expected, actual, all, own),
    steps: `; steps: ${best ? '' : 'the last ones of a walk: '}${listed(all)}`,
  }
}

/** @throws Violation with the shortest sequence that shows what was found about these parts */
export const report = async (
  context: Context,
  walked: Walked,
  parts: readonly Judged[],
): Promise<void> => {
  const about = walked.found.filter(({ part }) => parts.includes(part))
  // What occurs most comes first.
  const kinds = [...Map.groupBy(about, failureOf).values()].toSorted((a, b) => b.length - a.length)
  const found = kinds.flat()
  const judged = parts.reduce((sum, part) => sum + (walked.judged.get(part) ?? 0), 0)
  // What the walk did itself can be repeated; pets may have been lost before.
  const first = kinds[0]?.find(({ from }) => from !== undefined) ?? found[0]
  const others = found.filter((one) => one !== first)
  if (first) {
    const { violation, steps } = await shrunk(context, first)
    const all = [violation, ...others.map((one) => one.violation)]
    throw joined(all, Math.max(judged, found.length), 'responses', [], steps)
  }
  // Where it gets no response again, that is judged as in any check.
  if (walked.lost && parts.includes(walked.lost.part)) {
    const { apiRequest, key } = walked.lost.error.exchange
    await context.call(withKey(apiRequest, key))
  }
  if (walked.ended) throw walked.ended
  if (judged > 0) return
  // Where no pet is known no id can be drawn.
  expectAllRead(context.knownPets)
  throw new Untested(
    'blocked',
    'no response of the walk was one that it judges: --walk N draws more',
  )
}
