// Exchanges as a run would have recorded them, made up for tests of the judgements.
import type { AnyCheck } from '../../engine/check/declare.ts'
import { type AnsweredExchange, type ApiRequest, get, type Header } from '../../history/exchange.ts'
import type { History } from '../../history/history.ts'
import { PetIndex } from '../../history/known-pets.ts'
import type { Clause } from '../../model/clause.ts'

export interface FakeAnswer {
  readonly status: number
  readonly body: string | Uint8Array
  /** Replace or extend those of a valid response; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The key that was used; by default one of the plan Free. */
  readonly key?: string | null
  readonly seq?: number
}

/** Half a minute before the reset of the valid headers. */
const soundHeaders = {
  'Content-Type': 'application/json',
  Date: 'Fri, 20 Nov 2026 12:00:30 GMT',
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': String(Date.UTC(2026, 10, 20, 12, 1) / 1000),
}

const headersOf = (given: FakeAnswer['headers']): Header[] =>
  Object.entries({ ...soundHeaders, ...given }).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): Header => [name, one]),
  )

export const fakeExchange = (
  apiRequest: ApiRequest | string,
  response: FakeAnswer,
): AnsweredExchange => {
  const request = typeof apiRequest === 'string' ? get(apiRequest) : apiRequest
  const { status, body, headers, key = 'free-1', seq = 1 } = response
  return {
    seq,
    at: '2026-11-20T12:00:30.000Z',
    check: 'fake',
    key,
    ...(key !== null && { quota: { perMinute: 60, perDay: 1_000 } }),
    apiRequest: request,
    request: {
      method: request.method,
      url: `http://127.0.0.1:8080/v1${request.path}`,
      headers: request.headers,
      body: typeof request.body === 'string' ? request.body : null,
    },
    response: {
      status,
      headers: headersOf(headers),
      bytes: typeof body === 'string' ? new TextEncoder().encode(body) : body,
      cut: false,
    },
    noResponse: null,
    sentMs: 2 * seq,
    receivedMs: 2 * seq + 1,
    movedMs: 0,
  }
}

export const fakeTrace = (...exchanges: AnsweredExchange[]): History => {
  const knownPets = new PetIndex()
  for (const exchange of exchanges) knownPets.learn(exchange)
  const names = { mark: 'petvet-', timesSent: () => Number.POSITIVE_INFINITY }
  const categories = { configured: [], free: true, known: [], any: 1n, isOpen: false }
  const isVoid = () => false
  return { exchanges, lost: [], isVoid, knownPets, shared: false, names, categories }
}

export const clauseNamed = (list: readonly AnyCheck[], id: string): Clause => {
  const found = list.find((check) => check.id === id)
  if (found?.kind !== 'clause') throw new Error(`there is no clause ${id}`)
  return found
}

/** What a clause finds in the last of these: `not judged`, `holds` or the violation. */
export const judged = (clause: Clause, ...exchanges: AnsweredExchange[]): string => {
  const last = exchanges.at(-1)
  if (!last || !clause.applies(last)) return 'not judged'
  try {
    clause.judge(last, fakeTrace(...exchanges))
    return 'holds'
  } catch (error) {
    return (error as Error).message
  }
}
