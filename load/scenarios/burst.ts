// The scenario `burst`: a key's whole minute and more at once, at increasing connections.
import type { LimitKey } from '../../engine/check/context.ts'
import type { LoadFigures } from '../../engine/check/run-file.ts'
import { isOverLimit, type Round } from '../../engine/quota/round.ts'
import { type AnsweredExchange, statusCode } from '../../history/exchange.ts'
import { NoResponseError, Suspicion, Untested, Violation } from '../../history/outcome.ts'
import { is429, isServed, isShutOut } from '../../history/rate-headers.ts'
import { describeResponse } from '../../model/clause.ts'
import {
  countSurplus,
  expectNotFewer,
  expectNotMore,
  expectOneCount,
  fewer,
  holdRounds,
  holdTwice,
  keyOfEachPlan,
  noneForBursts,
  othersAsk,
  roundsCost,
  type Trial,
  twice,
} from '../burst-rounds.ts'
import { type Held, type Lane, type LoadPlan, scenario } from '../scenario.ts'

interface Seen {
  readonly trials: readonly Trial[]
  /** The server stopped responding, which ended the bursts. */
  readonly silent: NoResponseError | null
}

/** Another key of the plan, for a second burst; the same one if there is none. */
const twinOf = (keys: readonly LimitKey[], key: LimitKey): LimitKey =>
  keys.find(({ label, plan }) => label !== key.label && plan === key.plan) ?? key

const nameOf = (connections: number) => (key: LimitKey) =>
  `${key.label} from ${connections} connections`

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const { plan } = lane
  const trials: Trial[] = []
  try {
    for (const key of keyOfEachPlan(plan)) {
      for (const connections of plan.connections) {
        const shape = {
          connections,
          surplus: countSurplus(plan, connections),
          inTwo: true,
        } as const
        const hold = (isAgain: boolean) =>
          holdRounds(lane, [isAgain ? twinOf(plan.keys, key) : key], shape)
        trials.push(...(yield* holdTwice(lane, hold, nameOf(connections))))
      }
    }
    return { trials, silent: null }
  } catch (error) {
    // A probe without a response may be an effect of the burst.
    if (error instanceof NoResponseError) return { trials, silent: error }
    throw error
  }
}

/** Bursts that were not sent are no pass. */
const unlessCut = ({ silent }: Seen): void => {
  if (!silent) return
  throw new Untested('ambiguous', `the bursts ended early: ${silent.message}`, [silent.exchange])
}

const roundsIn = ({ trials }: Seen): readonly Round[] =>
  trials.flatMap(({ first, second }) => (second ? [first, second] : [first]))

const everyAnswer = (seen: Seen): readonly AnsweredExchange[] =>
  roundsIn(seen).flatMap(({ probes, burst }) => [...probes, ...burst])

/** The response to a request over the limit that is neither 429 nor, next to one, a ban. */
const otherThan429 = (rounds: readonly Round[]): AnsweredExchange | undefined => {
  const isLegal = rounds.some(({ burst }) => burst.some(is429)) ? isShutOut : is429
  for (const round of rounds) {
    const other = round.burst.find(
      (one) => !isServed(one) && !isLegal(one) && isOverLimit(round, one),
    )
    if (other) return other
  }
  return undefined
}

/** A request over the limit gets 429; next to such a response, 401 and 403 may be a ban. */
const expect429 = (seen: Seen, { plan }: Held): void => {
  const other = otherThan429(roundsIn(seen))
  if (other && isShutOut(other) && !plan.instant) {
    throw new Suspicion('another client may have caused a ban of the key', [other])
  }
  if (other)
    throw new Violation('429 to a request over the limit', describeResponse(other), [other])
  const responses = everyAnswer(seen)
  if (responses.some(is429)) return
  const failed = responses.find((one) => !isServed(one))
  if (failed) {
    const why = `a request got ${statusCode(failed)}, but by Remaining it was not over the limit`
    throw new Suspicion(why, [failed])
  }
  throw new Suspicion('nothing was refused: the limiter refills as fast', responses.slice(-1))
}

const expectNo5xx = (seen: Seen): void => {
  const wrong = everyAnswer(seen).find((one) => statusCode(one) >= 500)
  if (wrong)
    throw new Violation('no 5xx, however many requests at once', describeResponse(wrong), [wrong])
  unlessCut(seen)
}

const describeLost = ({ sent, neverSent, counts }: LoadFigures) => {
  const lost = counts.timeout + counts.reset
  if (lost + neverSent === 0) return `all ${sent} requests got a response`
  return { warn: `${lost} of ${sent} requests got no response, and ${neverSent} could not be sent` }
}

/** Two windows, before each burst. */
const fullQuotaSeconds = 125

const cost = (plan: LoadPlan) => {
  const keys = keyOfEachPlan(plan)
  const bursts = plan.connections.map((each) => roundsCost(keys, countSurplus(plan, each)))
  return {
    requests: bursts.reduce((sum, each) => sum + each, 0),
    seconds: keys.length * bursts.length * (plan.instant ? 1 : fullQuotaSeconds),
    does: `exhausts a key of each plan${plan.allow.includes('ban') ? ', and may cause a ban' : ''}`,
  }
}

export const burst = scenario<Seen>({
  id: 'burst',
  says: 'A whole minute and more at once, from several connections: exactly the quota is served.',
  needs: { allow: ['exhaust'], key: true, quota: noneForBursts },
  baselines: ['prism', 'reference'],
  cost,
  run,
  distributed: {
    phases: (plan, schedule) => {
      const users = Math.max(...plan.connections)
      const surplus = countSurplus(plan, users)
      const obeys = !plan.allow.includes('ban')
      for (const key of keyOfEachPlan(plan)) {
        schedule.bursts([key], surplus, { part: 'burst', users, obeys })
      }
    },
    see: (sent, plan) => ({
      trials: keyOfEachPlan(plan).map((key) => ({
        name: nameOf(Math.max(...plan.connections))(key),
        first: sent.round('burst', key),
        second: null,
      })),
      silent: null,
    }),
  },
  verdicts: [
    {
      id: 'load-burst-not-more',
      requirement: 'limits.not-late',
      sends:
        'With the full quota of a key of each plan, a burst of all calls that it announces and ' +
        'more, at each number of --connections.',
      fails: `More served than any design allows; ${twice}`,
      inconclusive: 'the server stopped responding (ambiguous)',
      judge: (seen) => {
        expectNotMore(seen.trials)
        unlessCut(seen)
      },
    },
    {
      id: 'load-burst-not-fewer',
      requirement: 'limits.not-early',
      sends: 'The same bursts.',
      fails: fewer,
      inconclusive: othersAsk,
      judge: (seen, { plan }) => {
        expectNotFewer(seen.trials, plan)
        unlessCut(seen)
      },
    },
    {
      id: 'load-burst-one-count',
      requirement: 'limits.one-count',
      sends: 'The same bursts.',
      fails:
        'No response announces as few calls as one count of all connections leaves: each ' +
        `connection, or node, counts alone; ${twice}`,
      inconclusive: 'the server stopped responding (ambiguous)',
      judge: (seen) => {
        expectOneCount(seen.trials)
        unlessCut(seen)
      },
    },
    {
      id: 'load-burst-excess-429',
      requirement: 'limits.429',
      sends: 'The same bursts.',
      fails:
        'Any response but 429 to a request over the limit, by the Remaining of the responses ' +
        'before it; next to a 429, a 401 or 403 may be a ban.',
      inconclusive:
        'nothing was refused, or nothing that was over the limit by Remaining; another client ' +
        'may have caused a ban (ambiguous)',
      judge: expect429,
    },
    {
      id: 'load-burst-no-5xx',
      requirement: 'service.no-server-error',
      sends: 'The same bursts.',
      fails: 'A 5xx response, however many requests at once.',
      inconclusive: 'the server stopped responding (ambiguous)',
      judge: expectNo5xx,
    },
    {
      id: 'load-burst-answered',
      requirement: 'gap.load',
      sends: 'The same bursts.',
      records: 'How many requests got no response or could not be sent; any at all is a warning.',
      observe: (_seen, { figures }) => describeLost(figures),
    },
  ],
})
