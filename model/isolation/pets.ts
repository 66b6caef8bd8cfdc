// What pets have in common that a GET by id or a list does not show, or shows wrongly, and none
// that it shows.
import { isUnread } from '../../history/body.ts'
import {
  type Exchange,
  isAnswered,
  isSuccess,
  memoized,
  statusCode,
} from '../../history/exchange.ts'
import type { JsonObject } from '../../history/json.ts'
import { idIn, petsIn, requestedId, sentObject } from '../../history/known-pets.ts'
import { type Isolated, isolation, isPlain, isTogether } from '../conditions.ts'
import { read } from '../read.ts'
import { isOrdinaryName, type Part } from '../read-body.ts'
import { inOrder, petsShownBy, type Seen } from './seen.ts'
import { apartIn, type Case, nameApart } from './traits.ts'

const isCreation = (one: Exchange): boolean => read(one).operation === 'create'

const targetMs = ({ receivedMs, movedMs }: Exchange): number => receivedMs + movedMs

/** The id that was looked up; a HEAD fetches a pet as well, where there is one. */
const fetchedId = (one: Exchange): bigint | undefined => {
  const { key, apiRequest } = one
  const isRefused = key === null || [401, 403, 429].includes(statusCode(one))
  const isHead = apiRequest.method === 'HEAD' && [200, 404].includes(statusCode(one))
  const isFetch = isHead || (apiRequest.method === 'GET' && !isRefused)
  return isFetch ? idIn(apiRequest.path) : undefined
}

/** The numbers in an address that is no usual one of a pet. */
const idsIn = ({ apiRequest: { method, path }, key }: Exchange): readonly bigint[] => {
  if (key !== null && method === 'GET' && idIn(path) !== undefined) return []
  const [, rest = ''] = /\/pets\/([^?#]*)/.exec(path) ?? []
  return [...rest.matchAll(/\d{1,30}/g)].map(([digits]) => BigInt(digits))
}

interface Created {
  readonly creation: Exchange
  readonly before: Exchange | undefined
  readonly nth: number
  readonly missed: number
  readonly status: unknown
}

/** The pets of a run up to some time, and how often each was requested. */
class Past {
  readonly #created = new Map<bigint, Created>()
  readonly #requested = new Map<bigint, number>()
  /** Those whose address was requested in another way, which may fetch them too. */
  readonly #odd = new Set<bigint>()
  #latest: Exchange | undefined

  /** Requests come in the order of sending. */
  take(one: Exchange): void {
    const before = this.#latest
    if (one.key !== null) this.#latest = one
    const isMade = isCreation(one) && isAnswered(one) && isSuccess(one) && !isUnread(one)
    if (isMade) {
      const [{ id, status } = {}] = petsIn(one)
      if (typeof id !== 'bigint') return
      const missed = this.#requested.get(id) ?? 0
      this.#created.set(id, { creation: one, before, nth: this.#created.size, missed, status })
    }
    const id = fetchedId(one)
    if (id === undefined) for (const each of idsIn(one)) this.#odd.add(each)
    else this.#requested.set(id, (this.#requested.get(id) ?? 0) + 1)
  }

  caseOf(id: bigint, one: Exchange): Case | undefined {
    const { creation, before, nth, missed } = this.#created.get(id) ?? {}
    if (!creation || nth === undefined || missed === undefined) return undefined
    if (this.#odd.has(id)) return undefined
    const fetched = (this.#requested.get(id) ?? 0) - missed
    const since = this.#created.size - nth - 1
    const ageMs = targetMs(one) - targetMs(creation)
    return { ...{ one, id, creation, before, missed, fetched, nth, since, ageMs } }
  }

  /** The pets that a list may have by their status. */
  matching(status: string | undefined): readonly bigint[] {
    const isMatch = ([, own]: [bigint, Created]) => status === undefined || own.status === status
    return [...this.#created].filter(isMatch).map(([id]) => id)
  }
}

/** All GETs of the pets of a run, in the order of sending. */
const fetchesIn = memoized((seen: Seen): readonly Case[] => {
  const past = new Past()
  return inOrder(seen).flatMap((one) => {
    // Which of several in flight came first is chance.
    const isCase = requestedId(one) !== undefined && one.key !== null && !isTogether(one)
    const own = isCase ? past.caseOf(requestedId(one) ?? 0n, one) : undefined
    past.take(one)
    return own ?? []
  })
})

const isShown = ({ one }: Case): boolean => statusCode(one) === 200

/** What is odd about a request may be why it fails. */
const plainIn = (seen: Seen): readonly Case[] => fetchesIn(seen).filter(({ one }) => isPlain(one))

const findApart = (status: number, seen: Seen): Isolated | undefined => {
  const fetches = plainIn(seen)
  // Once the operation is removed nothing is shown.
  const all = fetches.slice(0, fetches.findLastIndex(isShown) + 1)
  const failing = all.filter(({ one }) => statusCode(one) === status)
  const passing = all.filter(isShown)
  // What was not shown may be shown later, as a cached 404 ends.
  const firstOf = new Map(failing.toReversed().map(({ one, id }) => [id, one.seq]))
  const lastSeq = failing.at(-1)?.one.seq ?? 0
  const isHealed = ({ one, id }: Case) => one.seq > Math.min(lastSeq, firstOf.get(id) ?? lastSeq)
  const others = passing.filter((each) => !isHealed(each))
  const part = apartIn(failing, passing) ?? apartIn(failing, others)
  const [first] = failing
  return part && first
    ? isolation([{ ...part, words: `of a pet ${part.words}` }], first.one)
    : undefined
}

const apartBy = memoized((_: Seen) => new Map<number, Isolated | undefined>())

/** What decides which pets GET by id does not show, where one thing alone separates them. */
export const petsApart = (exchange: Exchange, seen: Seen): Isolated | undefined => {
  const status = statusCode(exchange)
  if (requestedId(exchange) === undefined || status === 200) return undefined
  const isOwn = isTogether(exchange) || fetchesIn(seen).some(({ one }) => one === exchange)
  if (!isOwn) return undefined
  const known = apartBy(seen)
  if (!known.has(status)) known.set(status, findApart(status, seen))
  return known.get(status)
}

/** What decides which pets GET by id shows wrongly. */
export const shownApart = (
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): readonly Part[] => {
  const wrong = new Set(exchanges)
  const all = plainIn(seen).filter(isShown)
  const part = apartIn(
    all.filter(({ one }) => wrong.has(one)),
    all.filter(({ one }) => !failing.has(one)),
  )
  return part ? [{ ...part, words: `of a pet ${part.words}` }] : []
}

/** Whether a response shows a pet with the name that it was created with, which none may change. */
const isNameOf = ({ name }: JsonObject, creation: Exchange): boolean =>
  sentObject(creation)?.name === name

/** The creations of pets that a 201, or any GET, shows with another name, and of all others. */
const byShownName = memoized(({ trace }: Seen) => {
  const named = trace.filter((one) => isCreation(one) && isOrdinaryName(sentObject(one)?.name))
  const byId = Map.groupBy(named, (one) => petsShownBy(one)[0]?.id)
  // Of an id that was given twice it is not known whose name a response shows.
  const created = new Map(
    [...byId].flatMap(([id, [one, ...more]]) =>
      one && more.length === 0 ? [[id, one] as const] : [],
    ),
  )
  created.delete(undefined)
  const shownBy = (some: readonly Exchange[]) => {
    const [kept, changed] = [new Set<Exchange>(), new Set<Exchange>()]
    for (const pet of some.flatMap(petsShownBy)) {
      const creation = created.get(pet.id)
      if (creation) (isNameOf(pet, creation) ? kept : changed).add(creation)
    }
    return { kept, changed }
  }
  const others = trace.filter((one) => !isCreation(one))
  return { own: shownBy(named), shown: shownBy(others) }
})

/** What decides which pets are shown with another name, to what creates them or to a GET. */
export const namesApart = (one: Exchange, seen: Seen): readonly Part[] => {
  const { own, shown } = byShownName(seen)
  const { kept, changed } = isCreation(one) ? own : shown
  const casesOf = (some: ReadonlySet<Exchange>) => [...some].map((creation) => ({ creation }))
  const part = nameApart(casesOf(changed), casesOf(kept.difference(changed)))
  if (!part || isCreation(one)) return part ? [part] : []
  return [{ ...part, part: 'pet', words: `of pets created ${part.words}` }]
}

/** Of so many lists the pets are looked at; fewer may be those of another request. */
const maxLists = 12
const minLists = 3

/** A new pet may be missing for so long. */
const lagMs = 1_000

/** A list that is not full lacks what it does not show. */
export const isNotFull = (one: Exchange): boolean => {
  const { query } = read(one)
  if (!query || !isAnswered(one) || !isSuccess(one) || isUnread(one)) return false
  return petsIn(one).length < query.limit
}

/** What the pets have in common that lists lack, as those that are not full show. */
export const missingApart = (
  lists: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  seen: Seen,
): readonly Part[] => {
  const right = seen.trace.filter((one) => read(one).operation === 'list' && !failing.has(one))
  const some = (all: readonly Exchange[]) => all.filter(isNotFull).slice(-maxLists)
  const wrong = some(lists)
  if (wrong.length < minLists) return []
  const wanted = new Set([...wrong, ...some(right)])
  const past = new Past()
  const cases = inOrder(seen).flatMap((one) => {
    past.take(one)
    if (!wanted.has(one) || !isAnswered(one)) return []
    const ids = new Set(petsIn(one).map(({ id }) => id))
    return past
      .matching(read(one).query?.status)
      .flatMap((id) => past.caseOf(id, one) ?? [])
      .filter(({ ageMs }) => ageMs >= lagMs)
      .map((own) => ({ own, isMissing: !ids.has(own.id) }))
  })
  const of = (isMeant: boolean) =>
    cases.filter(({ isMissing }) => isMissing === isMeant).map(({ own }) => own)
  const part = apartIn(of(true), of(false))
  return part ? [{ ...part, words: `lacking pets ${part.words}` }] : []
}
