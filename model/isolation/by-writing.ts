// How the JSON of a creation is written decides, whatever it says.
import { type Exchange, keptIn, memoized, statusCode } from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { sentObject } from '../../history/known-pets.ts'
import { anyOwnName } from '../characters.ts'
import { type Isolated, isLike, isolation, passes } from '../conditions.ts'
import { read } from '../read.ts'
import { partOf } from '../read-body.ts'
import { validIn } from './by-value.ts'
import type { Seen } from './seen.ts'

/** The escapes in the strings of a body that are values. */
const escapesIn = memoized(({ apiRequest: { body } }: Exchange): readonly string[] => {
  const strings = [...`${body ?? ''}`.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g)]
  const values = strings.flatMap(([, text = '', colon]) => (colon ? [] : [text]))
  return values.flatMap((text) => text.match(/\\(?:u....|.)/g) ?? [])
})

const hasEscape = (one: Exchange): boolean => escapesIn(one).length > 0

/** What it says, whatever its run named the pet. */
const saidIn = (one: Exchange): string => printJson(sentObject(one) ?? null).replace(anyOwnName, '')

/** So many kinds of escape get a status that no creation without one gets. */
const minKinds = 2

const findEscape = (one: Exchange, seen: Seen): Isolated | undefined => {
  const creations = validIn(seen).get(read(one).name) ?? []
  const [own, passing] = [creations.filter(isLike(one)), creations.filter(passes)]
  const isApart = own.every(hasEscape) && !passing.some(hasEscape)
  const kinds = new Set(own.flatMap(escapesIn).map((text) => text.slice(0, 2)))
  if (!isApart || kinds.size < minKinds) return undefined
  const bySaid = new Map(passing.map((each) => [saidIn(each), each]))
  const failing = own.find((each) => bySaid.has(saidIn(each)))
  const other = failing && bySaid.get(saidIn(failing))
  const words = 'with an escape in a string of its JSON'
  const part = { ...partOf('writing', 'valid', 'escape', words), holds: hasEscape }
  return failing && other ? isolation([part], failing, [other]) : undefined
}

const escapeOfStatus = memoized((_: Seen) => new Map<number, Isolated | undefined>())

/** Any escape in its JSON decides, where the same without one passes. */
export const byEscape = (one: Exchange, seen: Seen): Isolated | undefined => {
  if (read(one).operation !== 'create' || !hasEscape(one) || passes(one)) return undefined
  return keptIn(escapeOfStatus(seen), statusCode(one), () => findEscape(one, seen))
}
