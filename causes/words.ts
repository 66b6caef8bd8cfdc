// The words of a headline for its requests and its responses: under which condition, which, and how
// many.

import type { Finding } from '../engine/check/run-file.ts'
import { count, listed, listedOnce, maxListed, unique } from '../history/quote.ts'
import { noJson } from '../history/value-kinds.ts'
import { anyValue } from '../model/isolation/by-value.ts'
import { isInTurn } from '../model/isolation/turns.ts'
import { anyKey, joinWords, noKey } from '../model/read.ts'
import { isBroken, isRefusalOfKey } from './keys.ts'
import { otherMethods, ownOperations, placeIn } from './shares.ts'
import { inFlight } from './surroundings.ts'

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
const ofKeys = (findings: readonly Finding[], lead: string): string => {
  const [shown, ...more] = new Set(findings.flatMap((each) => each.keys ?? []))
  if (shown === undefined || !findings.every((each) => each.keys?.length)) return ''
  return `${lead} ${shown}${more.length > 0 ? ` (and ${more.length} more)` : ''}`
}

const firstSeq = ({ exchanges }: Finding): number => Math.min(...exchanges)

/** Whether what was around the first one was around the other one too, as a broken state is. */
export const isSince = (one: Finding, first: Finding): boolean =>
  first.after === undefined ||
  one.after !== undefined ||
  (isBroken(first.status) && firstSeq(one) >= firstSeq(first))

/** What was sent before, by which keys, and when at the target: where it is said of all. */
export const surroundingsOf = (findings: readonly Finding[], lead = ' with key'): string => {
  const [first] = findings
  if (!first) return ''
  const { after, date } = first
  const keys = ofKeys(findings, lead)
  if (after && findings.every((each) => isSince(each, first))) return `${keys} ${after}`
  // What fails later fails for the same reason.
  const isOfTime = (each: Finding) => each.date || firstSeq(each) >= firstSeq(first)
  return date && findings.every(isOfTime) ? `${keys} at ${date}` : keys
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

/** What else is wrong with a request that is refused for that. */
const withoutKey = ({ conditions: [key, ...others], status }: Finding): string =>
  key?.about === 'key' && (status ?? 0) >= 400
    ? joinWords(others.map(({ words, brief = words }) => ({ words: brief })))
    : ''

/** Where any value of a parameter matters to one of them, none does to the others. */
const withAnyValue = (findings: readonly Finding[]): readonly Finding[] => {
  const all = findings.flatMap(({ conditions }) => conditions)
  const any = new Map(all.filter(({ kind }) => kind === anyValue).map((own) => [own.about, own]))
  if (any.size === 0) return findings
  return findings.map((each) => {
    const conditions = each.conditions.map((own) => any.get(own.about) ?? own)
    return { ...each, conditions: conditions.toSorted((a, b) => (a.about < b.about ? -1 : 1)) }
  })
}

/** `with name 5, with status 0 or without categoryId` */
export const conditionsOf = (found: readonly Finding[]): string => {
  // Where nothing isolates what decides, it may be what decides elsewhere.
  const isOfTime = ({ date, conditions }: Finding) => date !== undefined && conditions.length === 0
  const isKnown = found.some((each) => each.date && !isOfTime(each))
  // What fails in flight fails for what was found alone.
  const isBeside = ({ after }: Finding) => after === inFlight && found.slice(0, 1).some(isInTurn)
  const isolated = found.filter(
    (each) => !each.isOpen && !isBeside(each) && !(isKnown && isOfTime(each)),
  )
  const findings = withAnyValue(isolated).flatMap(byValue)
  if (findings.some((each) => conditionOf(each) === '')) return ''
  // Where no key is needed, none that is wrong matters; of several the first one is shown.
  const keys = findings.flatMap((each) => keyOf(each) ?? [])
  const isOfAny = keys.some(({ kind }) => !kind.startsWith('none'))
  if (keys.some(({ kind }) => kind === 'none')) return ` ${noKey}${isOfAny ? ` or ${anyKey}` : ''}`
  const kinds = unique(keys.filter(isOfKind).map(({ words }) => words))
  if (kinds.length >= minKeys) {
    return ` with ${kinds.length} kinds of invalid key, such as ${kinds[0]?.replace(/^with /, '')}`
  }
  // What is looked at before the key, whatever that is.
  const before = unique(findings.map(withoutKey)).filter((each) => each !== '')
  if (before.length > 1) return ` without a valid key and ${listedOnce(before, maxListed)}`
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
  /** How many show it with its status, where `times` counts all. */
  readonly own?: number
  /** What else all of them have not: `, and no Retry-After`. */
  readonly lacks?: string
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
  const isOfStatus = areAll(findings) && !places.every(isNamed)
  const own = places.filter((each) => !is405 || each !== otherMethods)
  return isOfKey || isOfAll || isOfStatus || own.length === 0 ? '' : ` of ${listed(own, 'and')}`
}

/** Whatever was requested: its first and last requests say nothing. */
const ofCounts: readonly unknown[] = ['too many served', 'refilled too soon', 'counted apart']

export const isCounted = ({ kind }: Finding): boolean => ofCounts.includes(kind)

/** Whether it is about what responses lack. */
const isLacked = ({ aspect, kind }: Finding): boolean =>
  (aspect === 'header' || aspect === 'body') && (kind === 'missing' || kind === noJson)

/** How many responses show it, and how many there are with their statuses, if that is known. */
const countIn = (findings: readonly Observed[]) => {
  // Of several numbers for a status that of the first finding counts.
  const byStatus = [...new Map(findings.toReversed().map((each) => [each.status, each])).values()]
  const sumOf = (numberOf: (each: Observed) => number) =>
    byStatus.reduce((sum, each) => sum + numberOf(each), 0)
  return {
    times: sumOf(({ own, times }) => own ?? times),
    of: sumOf(({ alike = Number.NaN }) => alike),
  }
}

const isOfMany = (findings: readonly Observed[]): boolean =>
  unique(findings.map(({ status }) => status)).length > maxListed

const areErrors = (findings: readonly Observed[]): boolean =>
  findings.every(({ status }) => (status ?? 0) >= 400)

/** `7 of 13 responses with 400 have`, and which ones. */
const someOf = (findings: readonly Observed[]) => {
  const { times, of } = countIn(findings)
  const all = (number: number, what: string) =>
    isOfMany(findings) && areErrors(findings)
      ? count(number, 'error', 'errors')
      : count(number, 'response', 'responses') + what
  const what = isOfMany(findings) ? '' : ` with ${statusesOf(findings)}`
  const first = findings.find((each) => each.where !== undefined)
  const others = findings.filter((each) => each.where !== first?.where)
  const isOfOne = others.every(({ status }) => status !== first?.status)
  const where = (isOfOne && first?.where) || ''
  // Of one status it is said which they are, of the others not.
  const ofOne = others.length > 0 ? ` with ${first?.status}` : ''
  const those = times === 1 ? 'that' : `those${ofOne}`
  return {
    subject: of > times ? `${times} of ${all(of, what)}` : all(times, what) + placeOf(findings),
    has: times === 1 ? 'has' : 'have',
    where: where === '' ? '' : `: ${those} ${where}`,
  }
}

const areAll = (findings: readonly Observed[]): boolean =>
  findings.every(({ isOfAll }) => isOfAll === true)

/** `A 400 or 404 of GET /pets/{petId} has`: only where all of them have; else how many. */
export const subjectOf = (findings: readonly Observed[]) => {
  const [first] = findings
  if (first?.isAll) return { subject: 'No response', has: 'has', where: '' }
  if (first && isLacked(first) && !areAll(findings)) return someOf(findings)
  const kind = areErrors(findings) ? 'An error' : 'A response'
  const subject = isOfMany(findings) ? kind : `A ${statusesOf(findings)}`
  return {
    subject: `${subject}${placeOf(findings)}${conditionsOf(findings)}`,
    has: 'has',
    where: '',
  }
}

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

/** How many responses show it, where one check saw several. */
export const shareOf = (findings: readonly Observed[]): string => {
  const [first] = findings
  // What is sent before says when.
  if (first?.chance !== undefined) return first.after ? '' : ` (${first.chance})`
  if (!first || !isShare(findings)) return ''
  const { times, judged } = first
  if (first.isAll) return ` (${judged} were judged)`
  const all = (what: string) => (times === 2 ? ` (both ${what})` : ` (all ${times} ${what})`)
  if (isLacked(first)) {
    if (!areAll(findings)) return ''
    const isKnown = countIn(findings).of === times
    return isKnown ? all(`responses with ${statusesOf(findings)}`) : ` (${times} responses)`
  }
  if (times === judged) return all('responses that were judged')
  // Others of their statuses may be judged by another check.
  return first.aspect === 'body' ? ` (${times} responses)` : ` (${times} of ${judged} responses)`
}
