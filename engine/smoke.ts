// The smoke call: before any verdict counts, one sound request with each key.

import { LocalFault } from './client/faults.ts'
import { ClockError } from './client/target-clock.ts'
import type { Answered } from './exchange.ts'
import { header, statusOf } from './exchange.ts'
import { told } from './expect.ts'
import { NoAnswerError } from './no-answer.ts'
import type { Because } from './outcome.ts'
import { Untested } from './outcome.ts'
import { longestWaitMs } from './quota/governor.ts'
import { get } from './request.ts'
import type { LabelledKey, Session } from './session.ts'
import { KeyWithdrawn } from './withdrawn.ts'

export const smokeId = 'smoke-list-200'

/** What the smoke call found; only `held` lets the run go on. */
export type Smoke =
  | { readonly kind: 'held'; readonly first: Answered; readonly notes: readonly string[] }
  | { readonly kind: 'impossible'; readonly why: string }
  | { readonly kind: 'astray'; readonly exchange: Answered; readonly hint: string }
  | { readonly kind: 'blocked'; readonly because: Because; readonly why: string }

/** How often a 429 is waited out. */
const waitsMost = 3

const isRefused = (exchange: Answered) => [401, 403].includes(statusOf(exchange))

const callPatiently = async (session: Session, path: string, key: string): Promise<Answered> => {
  for (let waits = 0; ; waits += 1) {
    try {
      return await session.ask(smokeId, { ...get(path), key }, false)
    } catch (error) {
      const isBlocked = error instanceof Untested && error.because === 'blocked'
      if (!isBlocked || waits >= waitsMost) throw error
    }
  }
}

/** The answer to a key, or undefined when the key is refused, by the list and by the fetch. */
const tryKey = async (session: Session, key: string): Promise<Answered | undefined> => {
  try {
    const list = await callPatiently(session, '/pets', key)
    if (!isRefused(list)) return list
    const fetched = await callPatiently(session, '/pets/1', key)
    return isRefused(fetched) ? undefined : list
  } catch (error) {
    // Before this run was resumed it was served.
    if (error instanceof KeyWithdrawn) return undefined
    throw error
  }
}

const hintOf = (exchange: Answered): string | undefined => {
  const status = statusOf(exchange)
  if (status >= 300 && status < 400) {
    const target = header(exchange, 'location') ?? 'nowhere'
    return `it redirects to ${target}; redirects are never followed: give the final base address`
  }
  if (status === 404) return 'is the base address right? It ends in /v1, the version prefix'
  return undefined
}

/** @throws what is no word about the target: an interruption, or a fault of our own */
export const failureOf = (error: unknown, origin: string): Smoke => {
  if (error instanceof NoAnswerError) {
    const what = error.exchange.noAnswer === 'proxy' ? 'was not reached' : 'gave no answer'
    return { kind: 'impossible', why: `${origin} ${what}: ${error.message}` }
  }
  if (error instanceof ClockError || error instanceof LocalFault)
    return { kind: 'impossible', why: error.message }
  if (error instanceof Untested && error.because !== 'interrupted') {
    return { kind: 'blocked', because: error.because, why: error.message }
  }
  throw error
}

/** A key that the run before left with a long rest is not waited for. @returns how long */
const restsLong = ({ governor, pace }: Session, key: string): string | undefined => {
  const restMs = governor.waitMs(key)
  if (restMs <= longestWaitMs(pace)) return undefined
  const minutes = Math.ceil(restMs / 60_000)
  return `key ${key} rests for ${minutes} minutes more, as the run before was told: it is not used`
}

/** Why no key is left to hold the run with. */
const withoutKey = (
  session: Session,
  keys: readonly LabelledKey[],
  [resting]: readonly string[],
): Smoke => {
  if (resting !== undefined) return { kind: 'blocked', because: 'blocked', why: resting }
  const which = keys.length === 1 ? 'the key was' : 'all keys were'
  const refusal = session.trace.find((one) => one.check === smokeId && isRefused(one))
  const why = refusal ? `${which} refused with ${told(refusal)}` : `${which} withdrawn`
  return { kind: 'impossible', why }
}

/** Finds out whether the run can be held at all, and with which keys. */
export const smoke = async (
  session: Session,
  keys: readonly LabelledKey[],
  origin: string,
): Promise<Smoke> => {
  try {
    await session.clock?.now()
    const answers = new Map<string, Answered>()
    const notes: string[] = []
    const resting: string[] = []
    for (const { label } of keys) {
      const rests = restsLong(session, label)
      if (rests !== undefined) resting.push(rests)
      const answer = rests === undefined ? await tryKey(session, label) : undefined
      if (answer) answers.set(label, answer)
      else if (rests === undefined) notes.push(`key ${label} was refused and is not used`)
      session.governor.use(label, answer !== undefined)
    }
    const [first] = answers.values()
    if (!first) return withoutKey(session, keys, resting)
    const hint = hintOf(first)
    return hint
      ? { kind: 'astray', exchange: first, hint }
      : { kind: 'held', first, notes: [...notes, ...resting] }
  } catch (error) {
    return failureOf(error, origin)
  }
}
