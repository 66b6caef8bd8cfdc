// The words of a headline for its responses: which, and how many.

import { otherMethods, ownOperations, placeIn } from '../engine/check/contrast.ts'
import type { Finding } from '../engine/check/run-file.ts'
import { listed, maxListed, unique } from '../history/quote.ts'
import { conditionsOf, maxKinds } from './condition-words.ts'
import { isRefusalOfKey } from './keys.ts'

/** A finding, with the numbers of all that a check found alike. */
export interface Observed extends Finding {
  /** Whether all responses that were judged show it. */
  readonly isAll?: true
}

const isNamed = (place: string): boolean => ownOperations.includes(place)

/** Where operations of the interface show it, no other spelling of their addresses matters. */
export const operationsOf = (findings: readonly Finding[]): string => {
  const all = findings.flatMap(({ operations }) => operations)
  const own = all.filter(isNamed)
  const others = all.map((each) => each.replace(/ \/pets\/\d+$/, ' /pets/{petId}'))
  return listed(own.length > 0 ? own : others, 'and')
}

export const statusesOf = (findings: readonly Finding[]): string =>
  listed(findings.map(({ status }) => String(status ?? 'no response')).sort(), 'or', maxKinds)

/** Of which operations, if not of all; a key is refused whatever is requested. */
const placeOf = (findings: readonly Observed[]): string => {
  const places = unique(findings.flatMap(({ operations }) => operations.map(placeIn)))
  const isOfKey = findings.every(({ status }) => isRefusalOfKey(status))
  const isOfAll = ownOperations.every((each) => places.includes(each))
  // That the interface does not have the method is what a 405 says.
  const is405 = findings.every(({ status }) => status === 405)
  // Of all with a status it is said of these.
  const areAll = findings.every((each) => each.isOfAll) && !places.every(isNamed)
  const own = places.filter((each) => !is405 || each !== otherMethods)
  return isOfKey || isOfAll || areAll || own.length === 0 ? '' : ` of ${listed(own, 'and')}`
}

/** `A 400 or 404`, `A 404 of GET /pets/{petId} with an id that is no integer, or a 405,`. */
export const subjectOf = (findings: readonly Observed[]): string => {
  if (findings[0]?.isAll) return 'No response'
  const statuses = unique(findings.map(({ status }) => status ?? 0))
  const isOfMany = statuses.length > maxListed
  if (isOfMany || !isApart(findings)) {
    const kind = statuses.every((one) => one >= 400) ? 'An error' : 'A response'
    const place = `${placeOf(findings)}${conditionsOf(findings)}`
    return `${isOfMany ? kind : `A ${statusesOf(findings)}`}${place}`
  }
  const parts = [...Map.groupBy(findings, ({ where = '' }) => where)].map(
    ([where, same]) => `${statusesOf(same)}${where === '' ? '' : ` ${where}`}`,
  )
  return `A ${parts.join(', or a ')}${parts.length > 1 ? ',' : ''}`
}

/** How many were judged with the statuses of findings, where that is known. */
const alikeIn = (findings: readonly Observed[]): number | undefined => {
  const byStatus = new Map(findings.map(({ status, alike }) => [status, alike]))
  const numbers = [...byStatus.values()]
  const sum = numbers.reduce<number>((all, each = 0) => all + each, 0)
  return numbers.includes(undefined) ? undefined : sum
}

/** Whatever was requested: its first and last requests say nothing. */
export const isCounted = ({ kind = '' }: Finding): boolean =>
  /^(?:too many served|refilled too soon)$/.test(kind)

/** Whether its sentence begins with the responses: `A 405 has ...`. */
const isOfResponses = ({ aspect, kind }: Finding): boolean =>
  aspect === 'body' || (aspect === 'header' && kind === 'missing')

const those = (findings: readonly Observed[], of: number | undefined): string => {
  const statuses = unique(findings.map(({ status }) => status))
  const isOfAny = of === undefined || statuses.length > maxListed
  return isOfAny ? 'responses' : `responses with ${statusesOf(findings)}`
}

/** Whether its subject says which responses of their statuses these are. */
const isApart = (findings: readonly Observed[]): boolean =>
  findings.some(({ where }) => where !== undefined) &&
  unique(findings.map(({ status }) => status)).length <= maxListed

/** Whether a number of responses says anything. */
const isShare = ([first, ...others]: readonly Observed[]): boolean => {
  // Of one response several laws may say so.
  if (!first || first.times < 2 || first.times > first.judged) return false
  // With another condition it may be another share.
  if (/^(?:status|silence)$/.test(first.aspect)) return others.length === 0
  // How often calls together show it says nothing.
  return first.aspect !== 'behaviour' || !(first.keys || isCounted(first))
}

/** How many responses show it, where one check saw several. */
export const shareOf = (findings: readonly Observed[]): string => {
  const [first] = findings
  if (!first || !isShare(findings)) return ''
  const { times, judged } = first
  if (first.isAll) return ` (${judged} were judged)`
  const of = alikeIn(findings)
  // Others of their statuses may be judged by another check.
  const isUnknown = of === undefined && isOfResponses(first) && times < judged
  if (isApart(findings) || isUnknown) return ` (${times} responses)`
  const all = of ?? judged
  const what = those(findings, of)
  const areAll = of !== undefined && findings.every(({ isOfAll }) => isOfAll)
  if (times < all && !areAll) return ` (${times} of ${all} ${what})`
  const were = of === times ? what : `${what} that were judged`
  return times === 2 ? ` (both ${were})` : ` (all ${times} ${were})`
}
