// The scenario `ban`: a client that does not obey, beside one that does. The ban of the one bites,
// leaves the other alone, and lifts.
import { type Answered, isAnswered, statusOf } from '../engine/exchange.ts'
import { told } from '../engine/expect.ts'
import { Inapplicable, Suspicion, Untested, Violation } from '../engine/outcome.ts'
import { isRefused, isServed, isShutOut } from '../engine/quota/key-minute.ts'
import type { LimitKey } from '../engine/quota/limits.ts'
import { announcedBy } from '../engine/quota/round.ts'
import type { Lane } from './lane.ts'
import { burstOf, cheapest, driveInto, isQuiet, probe } from './rounds.ts'
import { type LoadPlan, scenario } from './scenario.ts'

interface Seen {
  readonly hammered: readonly Answered[]
  /** What the other key got meanwhile, in order. */
  readonly obeying: readonly Answered[]
  readonly obeyingKey: LimitKey
  /** Each asked after the wait that the key had been told. */
  readonly tries: readonly Answered[]
  readonly banned: number
  readonly refused: number
  readonly instant: boolean
  readonly shared: boolean
}

/** Knocks after the burst: waves of some, with pauses between them. */
const knocks = { waves: 5, each: 12, pauseMs: 60 }
const triesMost = 3
/** The other client asks so often, and never more than half of its quota. */
const obeying = { most: 40, pauseMs: 15 }

const hammer = async (lane: Lane, key: LimitKey, connections: number): Promise<Answered[]> => {
  const begun = await probe(lane, key)
  if (!begun.probes.every(isServed)) {
    throw new Untested('blocked', `key ${key.label} is refused although it rested`, begun.probes)
  }
  let round = await driveInto(
    lane,
    begun,
    burstOf(key.label, announcedBy(begun) + connections, connections),
  )
  for (let wave = 0; wave < knocks.waves; wave += 1) {
    await lane.sleep(knocks.pauseMs)
    round = await driveInto(lane, round, burstOf(key.label, knocks.each, connections))
  }
  return [...round.burst]
}

/** Asks on at an even pace until the other is done. */
const obey = async (lane: Lane, key: LimitKey, isOver: () => boolean): Promise<Answered[]> => {
  const most = Math.min(obeying.most, Math.floor(key.quota.perMinute / 2))
  const answers: Answered[] = []
  while (answers.length < most && !(isOver() && answers.length > 0)) {
    const exchange = lane.exchangeOf(await lane.call(key.label, null))
    if (isAnswered(exchange)) answers.push(exchange)
    // A client that obeys does not ask on when it was refused.
    if (!isAnswered(exchange) || !isServed(exchange)) break
    await lane.sleep(obeying.pauseMs)
  }
  return answers
}

const waitOut = async (lane: Lane, key: LimitKey): Promise<Answered[]> => {
  const tries: Answered[] = []
  while (tries.length < triesMost) {
    await lane.thaw(key.label)
    const answer = await lane.ask(key.label)
    tries.push(answer)
    if (!isShutOut(answer)) break
  }
  return tries
}

const run = async function* (lane: Lane): AsyncGenerator<void, Seen> {
  const { banKey } = lane
  if (!banKey) throw new Untested('key', 'it needs a key that may be banned')
  const obeyingKey = cheapest(lane.keys)
  const connections = Math.max(...lane.settings.connections)
  const knocking = connections + knocks.waves * knocks.each
  await lane.ensureDay(banKey.label, banKey.quota.perMinute + knocking)
  await lane.rest(obeyingKey.label)
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
  const { instant, shared } = lane
  return { hammered, obeying: others, obeyingKey, tries, banned, refused, instant, shared }
}

const expectOwnKey = ({ hammered, obeying: answers, obeyingKey, ...seen }: Seen): void => {
  const wrong = answers.find((answer) => !isServed(answer))
  const latest = hammered.slice(-1)
  if (answers.length === 0) throw new Untested('ambiguous', 'the other client got no answer')
  if (!wrong) return
  const served = answers.filter(isServed)
  if (!seen.instant && (seen.shared || !isQuiet(served, obeyingKey.quota))) {
    throw new Suspicion('another client may have used the key', [wrong])
  }
  const expected = `key ${obeyingKey.label} served while another one is hammered`
  throw new Violation(expected, told(wrong), [...latest, wrong])
}

const expectRepeated = ({ hammered, instant }: Seen): void => {
  const first = hammered
    .filter((answer) => !isServed(answer))
    .toSorted((a, b) => a.receivedMs - b.receivedMs)[0]
  if (!first) throw new Untested('ambiguous', 'nothing was refused')
  if (isRefused(first)) return
  if (isShutOut(first) && !instant) {
    throw new Suspicion('another client may have drawn a ban upon the key', [first])
  }
  throw new Violation('429 before any ban', told(first), [first])
}

const lookOf = ({ banned, refused, hammered }: Seen): string => {
  if (banned === 0) return `none after ${refused} refusals`
  return `after ${refused} refusals, ${statusOf(hammered.at(-1) as Answered)}`
}

const expectEnd = (seen: Seen): void => {
  const last = seen.tries.at(-1)
  if (!last) throw new Untested('ambiguous', 'nothing was asked after the wait')
  if (isShutOut(last)) {
    const waited = `waited as told ${seen.tries.length} times, and got ${told(last)}`
    if (seen.instant) throw new Violation('a ban that ends when it says', waited, seen.tries)
    throw new Suspicion(`${waited}; another client may have drawn a ban`, seen.tries)
  }
  if (seen.banned === 0) throw new Inapplicable(`no ban was seen: ${lookOf(seen)}`)
}

const cost = (plan: LoadPlan) => {
  const { banKey } = plan
  const hammered = (banKey?.quota.perMinute ?? 0) + Math.max(...plan.connections)
  return {
    requests: hammered + knocks.waves * knocks.each + obeying.most + triesMost,
    seconds: plan.instant ? 2 : 260,
    does: `knocks on with ${banKey?.label ?? 'a key'} until it is banned`,
  }
}

export const ban = scenario<Seen>({
  id: 'ban',
  says: 'A client that does not obey, beside one that does: its ban bites, lifts, and is its own.',
  needs: { allow: ['exhaust', 'ban'], key: true, banKey: true },
  beside: ['reference'],
  cost,
  run,
  verdicts: [
    {
      id: 'load-ban-own-key',
      requirement: 'ban.own-key',
      sends:
        'One key is exhausted and hammered on in five waves, while another one asks at an even ' +
        'pace within its quota.',
      fails: 'The other key is not served.',
      inconclusive: 'another client may have used that key (ambiguous)',
      judge: expectOwnKey,
    },
    {
      id: 'load-ban-after-429',
      requirement: 'ban.only-repeated',
      sends: 'The same.',
      fails: 'The first refusal of the hammered key is not a 429.',
      inconclusive: 'nothing was refused, or another client may have drawn a ban (ambiguous)',
      judge: expectRepeated,
    },
    {
      id: 'load-ban-ends',
      requirement: 'ban.ends',
      sends:
        'The hammered key keeps silent as its latest answer tells, and asks; three times at most.',
      fails: 'It is refused each time. Only with the test clock it is a fail.',
      inconclusive: 'no ban came (inapplicable), or another client may have drawn one (ambiguous)',
      judge: expectEnd,
    },
    {
      id: 'load-ban-look',
      requirement: 'gap.ban-look',
      sends: 'The same.',
      records: 'After how many refusals the ban came, and with which status.',
      observe: lookOf,
    },
  ],
})
