// Which value decides, of an id or a member: requests that are read alike pass with other values.
import { type Exchange, statusCode } from '../../history/exchange.ts'
import { requestedId, sentObject } from '../../history/known-pets.ts'
import { ownName } from '../characters.ts'
import { mayBeDue, passes, wordsOfValue } from '../conditions.ts'
import { type Part, partOf } from '../read-body.ts'
import { type Isolated, isolation } from './isolated.ts'
import type { Seen } from './seen.ts'

const ofId = (
  id: bigint,
  one: Exchange,
  alike: readonly Exchange[],
  seen: Seen,
): readonly Part[] => {
  const ids = alike.map(requestedId)
  if (seen.values.isShown(id, one) || ids.includes(id)) return []
  // Other unknown ids get what is due: something else decides.
  const isUnknown = (other: Exchange) =>
    mayBeDue(other) && !seen.values.isShown(requestedId(other), one)
  if (!mayBeDue(one) && seen.alikeTo(one).some(isUnknown)) return []
  const isOther = ids.some((each) => seen.values.isShown(each, one))
  const words = isOther ? 'with an unknown id' : wordsOfValue(one, { part: 'petId' })
  return [partOf('petId', 'valid', isOther ? 'unknown id' : 'value', words)]
}

export const ofValue = (one: Exchange, alike: readonly Exchange[], seen: Seen): readonly Part[] => {
  const id = requestedId(one)
  if (id !== undefined) return ofId(id, one, alike, seen)
  const members = sentObject(one) ?? {}
  const failing = seen
    .alikeTo(one)
    .filter(({ response }) => response?.status === one.response?.status)
  return ['name', 'categoryId', 'id'].flatMap((member) => {
    const value = members[member]
    if (value === undefined || ownName.test(`${value}`)) return []
    const has = (other: Exchange) => sentObject(other)?.[member] === value
    if (alike.some(has) || !failing.every(has)) return []
    const words = wordsOfValue(one, { part: member as Part['part'] })
    const isPets = member === 'id' && typeof value === 'bigint' && seen.values.isShown(value, one)
    const shown = isPets ? `${words}, as an earlier pet has` : words
    return [partOf(member as Part['part'], 'valid', 'value', shown)]
  })
}

const byNegativeId = (one: Exchange, { values }: Seen) => {
  const other = values.positiveFor(one)
  const part = partOf('petId', 'valid', 'negative', 'with a negative petId')
  return other && { isolated: isolation([part], one, [other]) }
}

/** What it says that an earlier pet has the name; undefined: nothing of what decides. */
const byRepeatedName = (
  one: Exchange,
  { values }: Seen,
): { readonly isolated?: Isolated } | undefined => {
  const first = values.firstNamed(one)
  if (!first || passes(one)) return undefined
  // It may be refused for that.
  if (statusCode(one) === 409) return {}
  // Each name is served once.
  if (!values.areRepeats(statusCode(one))) return undefined
  const part = partOf('name', 'valid', 'repeated', 'with the name of an earlier pet')
  return { isolated: isolation([part], one, [first]) }
}

export const bySignOrName = (one: Exchange, seen: Seen) =>
  requestedId(one) === undefined ? byRepeatedName(one, seen) : byNegativeId(one, seen)
