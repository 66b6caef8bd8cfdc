// The scenario `ban`: a client that ignores Retry-After, next to one that obeys. The ban of the
// first takes effect, does not affect the other, and ends.
import type { LimitKey } from '../../engine/check/context.ts'
import type { Round } from '../../engine/quota/round.ts'
import { type AnsweredExchange, isAnswered, statusCode } from '../../history/exchange.ts'
import { Inapplicable, Suspicion, Untested, Violation } from '../../history/outcome.ts'
import { is429, isServed, isShutOut } from '../../history/rate-headers.ts'
import { describeResponse } from '../../model/clause.ts'
import { driveInto, holdRounds, isQuiet } from '../burst-rounds.ts'
import { cheapest, type Held, type Lane, type LoadPlan, scenario } from '../scenario.ts'

interface Seen {
  readonly hammered: readonly AnsweredExchange[]
  /** The responses to the other key meanwhile, in order. */
  readonly obeying: readonly AnsweredExchange[]
  /** Each after the Retry-After of the response before it. */
  readonly tries: readonly AnsweredExchange[]
  readonly banned: number
  readonly refused: number
}

/** Requests after the burst, in waves with pauses between them. */
const requestsAfter429 = { waves: 5, each: 12, pauseMs: 60 }
const maxTries = 3
/** From several machines the end of a ban is waited for no longer than this. */
const maxBanMs = 400_000
/** The requests of the other client, and never more than half of its quota. */
const obeying = { max: 40, pauseMs: 15 }

const hammer = async (
  lane: Lane,
  key: LimitKey,
  connections: number,
): Promise<readonly AnsweredExchange[]> => {
  const [begun] = await holdRounds(lane, [key], { connections, surplus: connections })
  let round = begun as Round
  if (!round.probes.every(isServed)) {
    throw new Untested('blocked', `key ${key.label} is refused with its full quota`, round.probes)
  }
  for (let wave = 0; wave < requestsAfter429.waves; wave += 1) {
    await lane.sleep(requestsAfter429.pauseMs)
    round = await driveInto(lane, round, requestsAfter429.each, connections)
  }
  return round.burst
}

const obeysOf = ({ quota }: LimitKey): number =>
  Math.min(obeying.max, Math.floor(quota.perMinute / 2))

/** Sends at an even pace until the other client is done. */
const obey = async (
  lane: Lane,
  key: LimitKey,
  isOver: () => boolean,
): Promise<AnsweredExchange[]> => {
  const max = obeysOf(key)
  const responses: AnsweredExchange[] = []
  while (responses.length < max && !(isOver() && responses.length > 0)) {
    const exchange = await lane.call(key.label, null)
    if (isAnswered(exchange)) responses.push(exchange)
    // A client that obeys sends nothing more after a refusal.
    if (!isAnswered(exchange) || !isServed(exchange)) break
    await lane.sleep(obeying.pauseMs)
  }
  return responses
}

const waitOut = async (lane: Lane, key: LimitKey): Promise<AnsweredExchange[]> => {
  const tries: AnsweredExchange[] = []
  while (tries.length < maxTries) {
    await lane.waitForRetryAfter(key.label)
    const response = await lane.ask(key.label)
    tries.push(response)
    if (!isShutOut(response)) break
  }
  return tries
}

const banKeyOf = ({ banKey }: LoadPlan): LimitKey => {
  if (banKey) return banKey
  throw new Untested('key', 'needs a key that may be banned')
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const banKey = banKeyOf(lane.plan)
  const obeyingKey = cheapest(lane.plan.keys)
  const connections = Math.max(...lane.plan.connections)
  const afterBurst = connections + requestsAfter429.waves * requestsAfter429.each
  await lane.ensureDay(banKey, banKey.quota.perMinute + afterBurst)
  await lane.waitForFullQuota(obeyingKey.label)
  const state = { isOver: false }
  const hammering = hammer(lane, banKey, connections).finally(() => {
    state.isOver = true
  })
  const [hammered, others] = await Promise.all([
    hammering,
    obey(lane, obeyingKey, () => state.isOver),
  ])
  const { banned = 0, refused = 0 } = lane.figures().countsByKey[banKey.label] ?? {}
  yield
  const tries = lane.column === 'target' ? await waitOut(lane, banKey) : []
  return { hammered, obeying: others, tries, banned, refused }
}

const expectOwnKey = ({ hammered, obeying: responses }: Seen, { plan }: Held): void => {
  const obeyingKey = cheapest(plan.keys)
  const wrong = responses.find((response) => !isServed(response))
  const latest = hammered.slice(-1)
  if (responses.length === 0) throw new Untested('ambiguous', 'the other client got no response')
  if (!wrong) return
  const served = responses.filter(isServed)
  if (served.length === 0) {
    throw new Untested('blocked', `key ${obeyingKey.label} is refused from the start`, [wrong])
  }
  if (!plan.instant && (plan.shared || !isQuiet(served, obeyingKey.quota))) {
    throw new Suspicion('another client may have used the key', [wrong])
  }
  const expected = `key ${obeyingKey.label} served while another one is hammered`
  throw new Violation(expected, describeResponse(wrong), [...latest, wrong])
}

const expectRepeated = ({ hammered }: Seen, { plan }: Held): void => {
  const first = hammered
    .filter((response) => !isServed(response))
    .toSorted((a, b) => a.receivedMs - b.receivedMs)[0]
  if (!first) throw new Untested('ambiguous', 'nothing was refused')
  if (is429(first)) return
  if (isShutOut(first) && !plan.instant) {
    throw new Suspicion('another client may have caused a ban of the key', [first])
  }
  throw new Violation('429 before any ban', describeResponse(first), [first])
}

const describeBan = ({ banned, refused, hammered }: Seen): string => {
  if (banned === 0) return `none after ${refused} refusals`
  return `after ${refused} refusals, ${statusCode(hammered.at(-1) as AnsweredExchange)}`
}

const expectEnd = (seen: Seen, { plan }: Held): void => {
  const last = seen.tries.at(-1)
  if (!last) throw new Untested('ambiguous', 'nothing was sent after Retry-After')
  if (isShutOut(last)) {
    const response = describeResponse(last)
    const waited = `obeyed Retry-After ${seen.tries.length} times, and got ${response}`
    if (plan.instant)
      throw new Violation('a ban that ends when its Retry-After has elapsed', waited, seen.tries)
    throw new Suspicion(`${waited}; another client may have caused a ban`, seen.tries)
  }
  if (seen.banned === 0) throw new Inapplicable(`no ban was seen: ${describeBan(seen)}`)
}

const cost = (plan: LoadPlan) => {
  const { label, quota } = banKeyOf(plan)
  const hammered = quota.perMinute + Math.max(...plan.connections)
  return {
    requests: hammered + requestsAfter429.waves * requestsAfter429.each + obeying.max + maxTries,
    seconds: plan.instant ? 2 : 260,
    does: `sends on with ${label} until it is banned`,
  }
}

export const ban = scenario<Seen>({
  id: 'ban',
  says: 'Of two clients one ignores Retry-After: only that one is banned, and the ban ends.',
  needs: { allow: ['exhaust', 'ban'], key: true, banKey: true },
  baselines: ['reference'],
  cost,
  run,
  distributed: {
    phases: (plan, schedule) => {
      const [key, other] = [banKeyOf(plan), cheapest(plan.keys)]
      const users = Math.max(...plan.connections)
      const { waves, each, pauseMs } = requestsAfter429
      schedule.rest([other])
      schedule.bursts([key], users, { part: 'burst', users, obeys: false })
      const many = { part: 'waves', users: each, requests: waves * each, obeys: false }
      schedule.add(key, { ...many, everyMs: pauseMs / each }, waves * pauseMs)
      const others = { part: 'obeying', first: each, users: 1, requests: obeysOf(other) }
      schedule.add(other, { ...others, everyMs: obeying.pauseMs }, waves * pauseMs)
      schedule.next()
      const tries = { part: 'try', users: 1, requests: 1 + maxTries, obeys: false, upTo: true }
      schedule.add(key, { ...tries, forMs: maxBanMs }, maxBanMs)
      schedule.next()
    },
    see: (sent, plan, { countsByKey }) => {
      const { banned = 0, refused = 0 } = countsByKey[banKeyOf(plan).label] ?? {}
      const tries = sent.responses('try')
      return {
        // The first of the tries was not preceded by a wait.
        hammered: [...['burst', 'waves'].flatMap(sent.responses), ...tries.slice(0, 1)],
        obeying: sent.responses('obeying'),
        ...{ tries: tries.slice(1), banned, refused },
      }
    },
  },
  verdicts: [
    {
      id: 'load-ban-own-key',
      requirement: 'ban.own-key',
      sends:
        'Five waves of requests with an exhausted key, and requests with another key at an even ' +
        'pace within its quota.',
      fails: 'The other key is not served.',
      inconclusive: 'another client may have used that key (ambiguous)',
      judge: expectOwnKey,
    },
    {
      id: 'load-ban-after-429',
      requirement: 'ban.only-repeated',
      sends: 'The same requests.',
      fails: 'The first refusal of the hammered key is not a 429.',
      inconclusive: 'nothing was refused, or another client may have caused a ban (ambiguous)',
      judge: expectRepeated,
    },
    {
      id: 'load-ban-ends',
      requirement: 'ban.ends',
      sends:
        'One request with the hammered key when its Retry-After has elapsed; at most three times.',
      fails: 'It is refused each time. A fail only with the test clock.',
      inconclusive: 'no ban came (inapplicable), or another client may have caused one (ambiguous)',
      judge: expectEnd,
    },
    {
      id: 'load-ban-look',
      requirement: 'gap.ban-look',
      sends: 'The same requests.',
      records: 'After how many refusals the ban came, and with which status.',
      observe: describeBan,
    },
  ],
})
