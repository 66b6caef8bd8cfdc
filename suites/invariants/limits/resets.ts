// How Reset moves: it stands still or moves on, and does not move back before it has come.

import type { Trace } from '../../../engine/check.ts'
import { invariant } from '../../../engine/check.ts'
import type { Answered } from '../../../engine/exchange.ts'
import { statusOf } from '../../../engine/exchange.ts'
import { violate } from '../../../engine/expect.ts'
import { Suspicion } from '../../../engine/outcome.ts'
import { operationOf } from '../../answers.ts'
import { callsWith, mayBeBanned, mayBePast } from './calls.ts'
import type { Step } from './steps.ts'
import { mayBeShared, stepsWith } from './steps.ts'

const isServed = (exchange: Answered): boolean =>
  exchange.key !== null &&
  operationOf(exchange) !== undefined &&
  [200, 201].includes(statusOf(exchange))

/** Replicas may round otherwise, and their clocks be a little apart. */
const graceSeconds = 5
/** Fewer may be the doing of a clock that was set. */
const occasions = 3

/**
 * A counter that slides may give the end of the next window as long as there was no earlier one,
 * and then when the next call is forgotten: so it moves back once with each window, and no more.
 */
const areClose = (backs: readonly Step[]): boolean =>
  backs.some(({ from }, at) => {
    const last = backs[at + occasions - 1]
    return last !== undefined && last.to.toMs - from.fromMs < (from.said?.windowMs ?? 0)
  })

/**
 * From a served call to the next one nothing is given back but by time, in any design: a window
 * stays, the oldest and the newest call of a log are later ones, a bucket takes longer to be full.
 */
const isBack = ({ from, to }: Step): boolean =>
  from.served &&
  from.said !== undefined &&
  to.said !== undefined &&
  to.said.reset < from.said.reset - graceSeconds &&
  !mayBePast(from.said.reset, to)

const expectNotBack = (exchange: Answered, trace: Trace): void => {
  const backs = stepsWith(exchange.key, trace).filter(isBack)
  const own = backs.find(({ to }) => to.exchange === exchange)
  if (!own) return
  const { from, to } = own
  const evidence = [from.exchange, exchange]
  const actual = `Reset went from ${from.said?.reset} back to ${to.said?.reset}`
  const calls = callsWith(exchange, trace)
  if (
    !areClose(backs) ||
    mayBeShared(exchange.key, trace) ||
    mayBeBanned(calls, from.fromMs, to.toMs)
  ) {
    throw new Suspicion(
      `${actual}: seen ${occasions} times on a key of its own it decides`,
      evidence,
    )
  }
  violate(
    `no Reset before ${from.said?.reset}, which was told and has not come`,
    actual,
    ...evidence,
  )
}

export const resets = [
  invariant('reset-not-moved-back', 'headers.reset.kept', isServed, expectNotBack),
]
