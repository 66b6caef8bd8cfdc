// Pets of the run that GET by id does not show: others are fetched, so that the history shows what
// those have in common that are not shown.
import { isUnread, usableObject } from '../../history/body.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  isAnswered,
  statusCode,
  withKey,
} from '../../history/exchange.ts'
import { requestedId } from '../../history/known-pets.ts'
import { completes, type Violation } from '../../history/outcome.ts'
import { petsApart } from '../../model/isolation/pets.ts'
import { seenIn } from '../../model/isolation/seen.ts'
import { unlessLost } from '../check/key-handle.ts'
import { createPet, getPet } from '../check/requests.ts'
import { contextOf } from './contexts.ts'
import type { Session } from './session.ts'

/** Of one a pair shows more. */
const minLost = 2
const maxOthers = 10
/** One that nobody requested before, and two whose id was requested before they existed. */
const maxNew = 3

type Send = (request: ApiRequest) => Promise<AnsweredExchange | undefined>

const idOf = (one: AnsweredExchange | undefined): bigint | undefined => {
  const id = one && !isUnread(one) ? usableObject(one)?.id : undefined
  return typeof id === 'bigint' ? id : undefined
}

/** Creates pets, and fetches each twice: the later ones also before, where ids are counted up. */
const fetchNew = async (send: Send, newPet: () => ApiRequest): Promise<void> => {
  for (let times = 0; times < maxNew; times += 1) {
    const last = times > 0 ? idOf(await send(newPet())) : undefined
    if (last !== undefined) await send(getPet(last + 1n))
    const id = idOf(await send(newPet()))
    if (id === undefined || (last !== undefined && id !== last + 1n)) return
    for (let fetches = 0; fetches < 2; fetches += 1) await send(getPet(id))
  }
}

/**
 * @param spend takes a request from what the run may spend on reduction; false where that is over
 * @returns sends them for violations by a status, once for each status
 */
export const createFetchOthers = (session: Session, spend: () => boolean) => {
  const known = new Set<number>()
  const fetchOthers = async ({ key, check }: AnsweredExchange): Promise<void> => {
    const context = contextOf(session, check)
    const send: Send = async (request) => {
      let response: AnsweredExchange | undefined
      const call = async () => {
        response = await context.call(withKey(request, key))
      }
      return spend() && (await completes(unlessLost(call()))) ? response : undefined
    }
    if (context.allow.includes('write')) await fetchNew(send, () => createPet(context.newPet()))
    const requested = new Set(session.trace.map(requestedId))
    const others = session.knownPets.creations.filter(({ id }) => !requested.has(id))
    const step = Math.max(1, Math.ceil(others.length / maxOthers))
    for (const [at, { id }] of others.entries()) {
      if (at % step === 0 && !(await send(getPet(id)))) return
    }
  }
  return async (violations: readonly Violation[]): Promise<void> => {
    const lost = violations
      .flatMap(({ evidence }) => evidence.slice(-1))
      .filter(isAnswered)
      .filter((one) => session.knownPets.creationOf(requestedId(one) ?? 0n))
    for (const [status, all] of Map.groupBy(lost, statusCode)) {
      const seen = seenIn(session.trace)
      const isShown = all.some((one) => seen.passing(one).length > 0)
      if (known.has(status) || all.length < minLost || !isShown) continue
      known.add(status)
      const open = all.find((one) => petsApart(one, seen) === undefined)
      if (open) await fetchOthers(open)
    }
  }
}
