// What a walk found about some parts of it, shrunk, as the violation of one check.

import type { Context } from '../../engine/check/context.ts'
import { expectAllRead } from '../../engine/check/control-request.ts'
import { Collected } from '../../engine/check/findings.ts'
import { Untested } from '../../history/outcome.ts'
import type { Judged } from '../../model/judge.ts'
import { shrunk } from './shrink.ts'
import type { Found, Walked } from './walk.ts'

/** Requests that may be sent to shrink a failing walk. */
const maxForShrinking = 150

const kindOf = ({ violation: { wrong } }: Found): string =>
  [wrong.aspect, wrong.name, wrong.kind].join('|')

const isSameKind = (one: Found, other: Found | undefined): boolean =>
  other !== undefined && kindOf(one) === kindOf(other)

/** What occurs most comes first. */
const byKind = (found: readonly Found[]): readonly Found[] =>
  [...Map.groupBy(found, kindOf).values()].toSorted((a, b) => b.length - a.length).flat()

/** @throws Violation with the shortest sequence that shows what was found about these parts */
export const report = async (
  context: Context,
  walked: Walked,
  parts: readonly Judged[],
): Promise<void> => {
  const { lost } = walked
  const error = lost?.error
  if (lost) lost.error = undefined
  if (error) throw error
  const found = byKind(walked.found.filter(({ part }) => parts.includes(part)))
  const judged = parts.reduce((sum, part) => sum + (walked.judged.get(part) ?? 0), 0)
  // What the walk did itself can be repeated; pets may have been lost before.
  const first = found.find((one) => one.from !== undefined && isSameKind(one, found[0])) ?? found[0]
  const others = found.filter((one) => one !== first)
  if (first) {
    const { violation, steps } = await shrunk(context, first, maxForShrinking)
    const collected = new Collected()
    for (const each of [violation, ...others.map((one) => one.violation)]) collected.add(each)
    throw collected.violation(Math.max(judged, found.length), 'responses', steps)
  }
  // Where it gets no response again, that is judged as in any check.
  if (lost && parts.includes(lost.part)) await context.call(lost.request)
  if (walked.ended) throw walked.ended
  if (judged > 0) return
  // Where no pet is known no id can be drawn.
  expectAllRead(context.knownPets)
  throw new Untested('blocked', 'the walk received no such response')
}
