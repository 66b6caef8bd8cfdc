// How the JSON of a creation is written decides, whatever it says.
import { type Exchange, memoized } from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { sentObject } from '../../history/known-pets.ts'
import { anyOwnName } from '../characters.ts'
import { type Found, isLike, isolation, passes } from '../conditions.ts'
import { read } from '../read.ts'
import { partOf } from '../read-body.ts'
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

const validIn = memoized(({ trace }: Seen) =>
  trace.filter((one) => {
    const { operation, parts } = read(one)
    return operation === 'create' && parts.every(({ is }) => is === 'valid')
  }),
)

/** So many kinds of escape get a status that no creation without one gets. */
const minKinds = 2

/** Any escape in its JSON decides, where the same without one passes. */
export const byEscape = (one: Exchange, seen: Seen): Found => {
  if (read(one).operation !== 'create' || !hasEscape(one) || passes(one)) return undefined
  const creations = validIn(seen)
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
