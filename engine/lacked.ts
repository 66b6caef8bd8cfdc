// Which animals an answer would have shown, were they there for every key.
import type { Answered } from './exchange.ts'
import type { JsonObject } from './json.ts'

/** Real time in which a new animal need not be listed yet (ruling 5). */
export const listedWithinMs = 1_000

interface Made {
  readonly id: bigint
  readonly pet: JsonObject
  readonly exchange: Answered
}

/** Creations that are looked for in a list: the latest ones. */
const lookedForMost = 100

/** What a list was asked for, where nothing but the named parameters was. */
export const queryOf = ({
  asked,
}: Answered): { limit: number; status: string | undefined } | undefined => {
  const [path, search = ''] = asked.path.split('?')
  const query = new URLSearchParams(search)
  const names = [...query.keys()].toSorted().join(' ')
  const isPlain = ['', 'limit', 'status', 'limit status'].includes(names)
  if (path !== '/pets' || !isPlain || query.toString() !== search) return undefined
  const limit = query.get('limit') ?? '20'
  const status = query.get('status') ?? undefined
  if (!/^\d{1,3}$/.test(limit) || !/^[a-z]+$/.test(status ?? 'none')) return undefined
  return { limit: Number(limit), status }
}

/** Animals of this run that an uncut list does not hold, although it is late enough for them. */
export const lackedByList = (
  list: Answered,
  pets: readonly JsonObject[],
  creations: readonly Made[],
): readonly bigint[] => {
  const asked = queryOf(list)
  if (asked === undefined || pets.length >= asked.limit) return []
  const ids = new Set(pets.map(({ id }) => id))
  return creations
    .slice(-lookedForMost)
    .filter(({ pet }) => asked.status === undefined || pet.status === asked.status)
    .filter(({ exchange }) => list.sentMs - exchange.receivedMs > listedWithinMs)
    .flatMap(({ id }) => (ids.has(id) ? [] : [id]))
}

/** The animal that was asked for by its id. */
export const idAsked = ({ asked }: Answered): bigint | undefined => {
  const digits = /^\/pets\/(0|-?[1-9]\d{0,18})$/.exec(asked.path)?.[1]
  return digits === undefined || asked.method !== 'GET' ? undefined : BigInt(digits)
}
