// The words of a headline for its requests and its responses: under which condition, which, and how
// many.

import type { Finding } from '../engine/check/run-file.ts'
import { listed, listedOnce, maxListed, unique } from '../history/quote.ts'
import { anyKey, joinWords, noKey } from '../model/read.ts'
import { otherMethods, ownOperations, placeIn } from './conditions.ts'
import { isRefusalOfKey } from './keys.ts'

/** `with categoryId true`; of several what is wrong with a body is not shown. */
const conditionOf = ({ conditions }: Finding, isBrief = conditions.length > 1): string =>
  joinWords(isBrief ? conditions.map(({ words, brief = words }) => ({ words: brief })) : conditions)

/** One for each value, where it alone matters. */
const byValue = (finding: Finding): readonly Finding[] => {
  const [own, ...others] = finding.conditions
  if (!own?.also || others.length > 0) return [finding]
  const { about, kind, also, ...said } = own
  return [said, ...also].map((each) => ({ ...finding, conditions: [{ about, kind, ...each }] }))
}

/** The key that the numbers are of, with how many others show it too. */
export const ofKeys = (findings: readonly Finding[], lead: string): string => {
  const [shown, ...more] = new Set(findings.flatMap((each) => each.keys ?? []))
  if (shown === undefined || !findings.every((each) => each.keys?.length)) return ''
  return `${lead} ${shown}${more.length > 0 ? ` (and ${more.length} more)` : ''}`
}

const firstSeq = ({ exchanges }: Finding): number => Math.min(...exchanges)

/** Whether what was sent before the first one came before the other one too. */
export const isSince = (one: Finding, first: Finding): boolean =>
  first.after === undefined || one.after !== undefined || firstSeq(one) >= firstSeq(first)

/** What was sent before, by which keys, and when at the target: where it is said of all. */
export const surroundingsOf = (findings: readonly Finding[], lead = ' with key'): string => {
  const [first] = findings
  if (!first) return ''
  const { after, date } = first
  const keys = ofKeys(findings, lead)
  if (after && findings.every((each) => isSince(each, first))) return `${keys} ${after}`
  return date && findings.every((each) => each.date) ? `${keys} at ${date}` : keys
}

/** So many kinds of invalid key are counted. */
const minKeys = 3

const maxKinds = 6

/** Of a request in which nothing but its key is wrong. */
const keyOf = ({ conditions: [first, ...others] }: Finding) =>
  first?.about === 'key' && others.length === 0 ? first : undefined

/** Whether it says more than that the key is invalid. */
const isOfKind = (key: Finding['conditions'][number] | undefined): boolean =>
  key?.kind !== 'invalid'

/** `with name 5, with status 0 or without categoryId` */
export const conditionsOf = (found: readonly Finding[]): string => {
  const findings = found.flatMap(byValue)
  if (findings.some((each) => conditionOf(each) === '')) return ''
  // Where no key is needed, none that is wrong matters; of several the first one is shown.
  const keys = findings.flatMap((each) => keyOf(each) ?? [])
  const isOfAny = keys.some(({ kind }) => !kind.startsWith('none'))
  if (keys.some(({ kind }) => kind === 'none')) return ` ${noKey}${isOfAny ? ` or ${anyKey}` : ''}`
  const kinds = unique(keys.filter(isOfKind).map(({ words }) => words))
  if (kinds.length >= minKeys) {
    return ` with ${kinds.length} kinds of invalid key, such as ${kinds[0]?.replace(/^with /, '')}`
  }
  const specific = findings.filter((each) => isOfKind(keyOf(each)))
  // What matters alone comes before what matters with others.
  const some = (specific.length > 0 ? specific : findings).toSorted(
    (one, other) => one.conditions.length - other.conditions.length,
  )
  const words = unique(some.map((each) => conditionOf(each)))
  if (words.length === 0) return ''
  const brief = unique(some.map((each) => conditionOf(each, true)))
  const shown = words.length > 1 ? brief : words
  const areCreations = findings.every(({ operations }) => operations.join() === 'POST /pets')
  const most = areCreations ? maxKinds : maxListed
  const values = some.flatMap(({ conditions }) => conditions)
  const hasOthers =
    values.some((each) => each.also && each.brief === undefined) || brief.length > shown.length
  return ` ${listedOnce(shown, most, hasOthers)}`
}

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

/** Whatever was requested: its first and last requests say nothing. */
const ofCounts: readonly unknown[] = ['too many served', 'refilled too soon', 'counted apart']

export const isCounted = ({ kind }: Finding): boolean => ofCounts.includes(kind)

/** Whether its sentence begins with the responses: `A 405 has ...`. */
const isOfResponses = ({ aspect, kind }: Finding): boolean =>
  aspect === 'body' || (aspect === 'header' && kind === 'missing')

/** Whether its subject says which responses of their statuses these are. */
const isApart = (findings: readonly Observed[]): boolean =>
  findings.some(({ where }) => where !== undefined) &&
  unique(findings.map(({ status }) => status)).length <= maxListed

/** Whether a number of responses says anything. */
const isShare = ([first, ...others]: readonly Observed[]): boolean => {
  // Of one response several laws may say so.
  if (!first || first.times < 2 || first.times > first.judged) return false
  // With another condition it may be another share.
  if (first.aspect === 'status' || first.aspect === 'silence')
    return others.length === 0 || first.keys !== undefined
  // How often calls together show it says nothing.
  return first.aspect !== 'behaviour' || !(first.keys || isCounted(first))
}

/** How many responses there were with the statuses of findings; NaN where that is not known. */
const alikeIn = (findings: readonly Observed[]): number => {
  // Of several numbers for a status that of the first finding counts.
  const pairs = findings.map(({ status, alike = Number.NaN }) => [status, alike] as const)
  return [...new Map(pairs.reverse()).values()].reduce((sum, each) => sum + each, 0)
}

/** How many responses show it, where one check saw several. */
export const shareOf = (findings: readonly Observed[]): string => {
  const [first] = findings
  if (!first || !isShare(findings)) return ''
  const { times, judged } = first
  if (first.isAll) return ` (${judged} were judged)`
  if (isApart(findings)) return ` (${times} responses)`
  const of = isOfResponses(first) ? alikeIn(findings) : Number.NaN
  const what = `responses with ${statusesOf(findings)}`
  const isOfOne = findings.every(({ status }) => status === first.status)
  if (times < of && isOfOne) return ` (${times} of ${of} ${what})`
  if (times < judged && times !== of) {
    // Others of their statuses may be judged by another check.
    return isOfResponses(first) ? ` (${times} responses)` : ` (${times} of ${judged} responses)`
  }
  const were = times === of ? what : 'responses that were judged'
  return times === 2 ? ` (both ${were})` : ` (all ${times} ${were})`
}
