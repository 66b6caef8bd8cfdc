// What each check of a run is given: how it sends, what the run knows, what it may do to keys.
import {
  type AnsweredExchange,
  type ApiRequest,
  controlId,
  markTogether,
  memoized,
} from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'
import { createNewPet, deriveSeed } from '../../history/naming.ts'
import { allEnded, Untested } from '../../history/outcome.ts'
import { Unexplained } from '../../model/explanation.ts'
import type { Context, LimitKey, Limits, TargetClock } from '../check/context.ts'
import { createAged, createControls } from '../check/control-request.ts'
import { KeyHandle, type Means } from '../check/key-handle.ts'
import { chooseBanKey, usualWalk } from '../check/spendable-keys.ts'
import type { Connection } from '../http/http1.ts'
import { readDescription } from '../http/published-description.ts'
import { forgeWith } from '../http/redact.ts'
import { confirm } from './confirm.ts'
import { ask } from './send.ts'
import { type Session, waitRefused } from './session.ts'

const noClock: TargetClock = {
  now: () => Promise.reject(new Untested('clock', 'the target has no test clock (--clock URL)')),
  advance: () => noClock.now(),
}

/** With `--no-wait` a pause of a second is no wait yet. */
const maxPauseMs = 1_500

/** Sends requests at the same time, each on a connection of its own. */
const askTogether = async (
  session: Session,
  id: string,
  requests: readonly ApiRequest[],
): Promise<readonly AnsweredExchange[]> => {
  const { governor } = session
  const keyed = requests.filter(({ authorization }) => authorization === 'valid')
  const labels = new Set(keyed.map(({ key }) => key))
  const [label] = labels.size === 1 ? labels : []
  await governor.waitForRoom(keyed.length, label)
  const all = await allEnded(requests.map((request) => ask(session, id, request, 'separate')))
  // After a reset the free quota is unknown: then the governor sends the first one alone.
  const lastMs = Math.max(...all.map(({ sentMs }) => sentMs))
  const together = all.filter(({ receivedMs }) => receivedMs >= lastMs)
  if (together.length > 1) markTogether(together)
  return all
}

/** @param own how its requests are sent, and what else is done otherwise than by the governor */
export const keyHandleOf = (
  { governor, options, pace, trace, clock }: Session,
  key: LimitKey,
  own: Pick<Means, 'call' | 'insist' | 'insistApart'> & Partial<Means>,
): KeyHandle => {
  const { label } = key
  return new KeyHandle(key, {
    rest: () => governor.rest(label),
    waitForRetryAfter: () => governor.waitForRetryAfter(label),
    waitForMinute: () => governor.waitForMinute(label),
    // A run that follows in this process needs what is left, and so may other clients.
    spare: () => (options.carried || options.shared ? 0 : governor.left(label)),
    responses: () => trace.filter((one) => one.key === label),
    ...{ instant: pace.instant, pass: governor.pass },
    clockMs: () => (clock ?? noClock).now(),
    ...own,
  })
}

/** The rate-limit suites alone exhaust a key until it is refused. */
const limitsOf = (session: Session, check: string): Limits => {
  const { governor, budget, pace, keys, options } = session
  const handleOf = (key: LimitKey): KeyHandle => {
    const insist = (connection?: Connection) => (request: ApiRequest) =>
      ask(session, check, { ...request, key: key.label, insists: true }, connection)
    const call = (request: ApiRequest) => ask(session, check, request)
    return keyHandleOf(session, key, { call, insist: insist(), insistApart: insist('separate') })
  }
  const banKey = chooseBanKey(keys)
  return {
    keys: keys.filter((key) => key !== banKey).map(handleOf),
    banKey: banKey && handleOf(banKey),
    ...{ instant: pace.instant, pass: governor.pass },
    passRealTime: async (ms) => {
      if (options.noWait && !pace.instant && ms > maxPauseMs) throw waitRefused(session)
      budget.takeTime(ms)
      await pace.sleep(ms)
    },
  }
}

const sharedOf = memoized((session: Session) => {
  const { options, history, names, categories, pace, knownPets, clock } = session
  let demanded: JsonObject = {}
  const demand = (members: JsonObject) => {
    demanded = members
  }
  const newPet = createNewPet(names, categories, () => demanded)
  const known = { allow: options.allow, history, knownPets, names, categories, newPet }
  const call = (request: ApiRequest) => ask(session, controlId, request)
  let description: Promise<unknown> | undefined
  return {
    ...known,
    prepare: call,
    control: createControls({ ...known, call, demand }),
    aged: createAged(knownPets, pace),
    clock: clock ?? noClock,
    description: () => {
      description ??= readDescription(options)
      return description
    },
    seedOf: (name: string) => deriveSeed(options.seed, name),
    walk: clock ? (options.walk ?? usualWalk) : 0,
  }
})

/** The context of the check with an id; all contexts of a run share its knowledge. */
export const contextOf = (session: Session, id: string): Context => {
  const { options, keys, redactor } = session
  const seed = deriveSeed(options.seed, id)
  const context: Context = {
    ...sharedOf(session),
    call: (request) => ask(session, id, request),
    judged: (response) => confirm(session, context, response),
    isLate: (response) =>
      session.judge
        .doubtsAbout(response)
        .some((doubt) => doubt instanceof Unexplained && doubt.explanation === 'late in lists'),
    packsFor: (count, taken) => session.packs?.take('create', count, taken) ?? [],
    packsAgain: (operation, count) => session.packs?.again(operation, count) ?? [],
    carrying: (pieces, request, status) => session.packs?.carry(pieces, request, status) ?? request,
    together: (requests) => askTogether(session, id, requests),
    limits: limitsOf(session, id),
    forge: (make, label) => {
      // Invalid keys are derived from the longest one: a server may read the start of it only.
      const [longest] = keys.toSorted((a, b) => b.key.length - a.key.length)
      const { key = '', variable } = keys.find((each) => each.label === label) ?? longest ?? {}
      return forgeWith(redactor, key, variable)(make)
    },
    seed,
  }
  return context
}
