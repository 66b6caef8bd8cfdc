// The scenario `backoff`: clients of one key that obey Retry-After, and double their waits where
// it is absent. All get through in the time that the quota allows, and none starves.
import type { Answered } from '../engine/exchange.ts'
import { told as tellAnswer } from '../engine/expect.ts'
import { Suspicion, Untested, Violation } from '../engine/outcome.ts'
import { fromMs, isServed, minuteMs } from '../engine/quota/key-minute.ts'
import { goThrough, type Wake } from './backoff-clients.ts'
import type { Lane } from './lane.ts'
import { cheapest, noneForBursts } from './rounds.ts'
import { type LoadPlan, scenario } from './scenario.ts'

interface Seen {
  readonly label: string
  readonly perMinute: number
  readonly wakes: readonly Wake[]
  /** All that the key was sent, in order. */
  readonly answers: readonly Answered[]
  readonly clients: number
  readonly starved: number
  readonly lastedMs: number
  readonly instant: boolean
}

const clientsMost = 6
/** Of the quota: so the clients need more than one window. */
const share = 1.5

/** Refusals of several clients at once are repeated requests: only where a ban is allowed. */
const clientsOf = ({ allow }: Pick<LoadPlan, 'allow'>): number =>
  allow.includes('ban') ? clientsMost : 1

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const { label, quota } = cheapest(lane.keys)
  const clients = clientsOf(lane)
  const each = Math.ceil((quota.perMinute * share) / clients)
  await lane.ensureDay(label, 2 * clients * each)
  await lane.rest(label)
  const startMs = lane.nowMs()
  const through = goThrough(lane, label, clients, each)
  for (;;) {
    const { done, value } = await through.next()
    if (!done) {
      yield
      continue
    }
    const lastedMs = lane.nowMs() - startMs
    const { instant } = lane
    return { label, perMinute: quota.perMinute, clients, lastedMs, instant, ...value }
  }
}

const unlessWaited = ({ wakes, answers }: Seen): void => {
  if (wakes.length > 0) return
  const isRefused = answers.some((answer) => !isServed(answer))
  const why = isRefused ? 'the clients were told waits that differ' : 'nothing was refused'
  throw new Untested('ambiguous', why, answers.slice(-1))
}

/**
 * Who waited as told, while nobody asked with the key, is served; of several who wake together, at
 * least one is. It takes two in a row, as another client may have been quicker once.
 */
const expectTrue = (seen: Seen): void => {
  const { wakes, instant } = seen
  unlessWaited(seen)
  const told = wakes.filter(({ isTold }) => isTold)
  const at = told.findIndex(({ served }, index) => served === 0 && told[index + 1]?.served === 0)
  const [first, second] = [told[at], told[at + 1]]
  if (!first || !second) return
  const evidence = [first.latest, second.latest]
  if (!instant) throw new Suspicion('another client may have been quicker, twice', evidence)
  const actual = `refused twice, with nobody else asking: ${tellAnswer(second.latest)}`
  throw new Violation('a client served that waited as it was told', actual, evidence)
}

/** With fewer calls than its quota in the last two windows a key is not refused (ruling 17). */
const expectEnds = (seen: Seen): void => {
  const { answers, perMinute, wakes, instant } = seen
  unlessWaited(seen)
  if (wakes.some(({ isBanned }) => isBanned)) return
  for (const wake of wakes.filter(({ served }) => served === 0)) {
    const atMs = fromMs(wake.latest)
    const recent = answers.filter((one) => {
      return fromMs(one) > atMs - 2 * minuteMs && fromMs(one) < atMs
    })
    if (recent.length >= perMinute) continue
    const told = tellAnswer(wake.latest)
    const actual = `refused after ${recent.length} in the last two minutes: ${told}`
    if (!instant) throw new Suspicion(actual, [wake.latest])
    throw new Violation(`served with fewer than ${perMinute} calls`, actual, [wake.latest])
  }
}

const tell = (seen: Seen): string | { readonly warn: string } => {
  const { answers, clients, starved, lastedMs, wakes } = seen
  const seconds = Math.round(lastedMs / 1000)
  const text =
    `${answers.length} requests of ${clients} clients in ${seconds} s of the target, ` +
    `${wakes.length} waits`
  return starved === 0 ? text : { warn: `${text}; ${starved} clients did not get through` }
}

const cost = (plan: LoadPlan) => {
  const { label, quota } = cheapest(plan.keys)
  const clients = clientsOf(plan)
  const seconds = plan.instant ? 2 : 245
  const requests = Math.ceil(quota.perMinute * share) + 20 * clients
  return { requests, seconds, does: `exhausts ${label}, and waits as it is told` }
}

export const backoff = scenario<Seen>({
  id: 'backoff',
  says: 'Clients that wait as they are told all get through, as fast as the quota allows.',
  needs: { allow: ['exhaust'], key: true, quota: noneForBursts },
  beside: ['reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-backoff-retry-true',
      requirement: 'retry-after.true',
      sends:
        'Clients of one key that ask for one and a half minutes of quota, wait as each refusal ' +
        'told, and keep silent meanwhile.',
      fails:
        'Twice in a row nobody who waited as told is served. Only with the test clock it is a ' +
        'fail.',
      inconclusive: 'nothing was refused, or another client may have been quicker (ambiguous)',
      judge: expectTrue,
    },
    {
      id: 'load-backoff-window-ends',
      requirement: 'limits.window-ends',
      sends: 'The same clients.',
      fails:
        'A refusal with fewer calls in the last two minutes than the plan has in one. Only with ' +
        'the test clock it is a fail.',
      inconclusive: 'a ban was seen, or another client may have used the key',
      judge: expectEnds,
    },
    {
      id: 'load-backoff-through',
      requirement: 'gap.load',
      sends: 'The same clients.',
      records:
        'How long they took and how often they waited; one that does not get through is a warning.',
      observe: tell,
    },
  ],
})
