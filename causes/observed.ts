// The sentence that says what was observed, made of the evidence alone.

import { isDeepStrictEqual } from 'node:util'
import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { listed, maxListed, unique } from '../history/quote.ts'
import { listedIn, printStatuses, upTo499 } from '../history/statuses.ts'
import { lengthOf, type Text, text } from '../history/text.ts'
import { isShape, noJson } from '../history/value-kinds.ts'
import type { Kind } from '../history/wrong.ts'
import { isDrawn } from './groups.ts'
import { isBroken, isLikeFirst, isOfAnyMember, isRefusalOfKey } from './keys.ts'
import {
  conditionsOf,
  isCounted,
  isSince,
  type Observed,
  operationsOf,
  shareOf,
  statusesOf,
  subjectOf,
  surroundingsOf,
} from './words.ts'

/** A body is shown below the headline. */
const briefly = ({ brief, actual }: Finding): Text => brief ?? actual

/** One may name several headers, or members, that are missing together. */
const membersIn = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ name = '' }) => name.split(', '))

/** `with decimals`: a value comes so. */
const isManner = (kind: Kind | Text | ''): boolean => `${kind}`.startsWith('with ')

/** What says no more than the two values. */
const fillers: readonly Finding['kind'][] = [
  ...(['another value', 'missing', 'as sent', 'not of the filter'] as const),
  ...(['repeated', 'null', 'one less', 'one more'] as const),
]

const no5xx = { due: [upTo499] }

/** ` instead of 400`, `; expected no 5xx response` */
const insteadOf = ({ due = [], why = text('') }: Pick<Finding, 'due' | 'why'>): string =>
  `${due[0]?.[0] === 0 ? '; expected' : ' instead of'} ${printStatuses(due)}${why}`

const dueFor = (first: Observed, findings: readonly Observed[], isOfKey: boolean): string => {
  // Of requests that break the server each has its own due; what a state breaks, whatever is due.
  if (isBroken(first.status)) {
    const isOwn = ({ due }: Finding) => first.after || !isDeepStrictEqual(due, no5xx.due)
    const [specific, ...others] = unique(findings.filter(isOwn).map(insteadOf))
    return specific && others.length === 0 ? specific : insteadOf(no5xx)
  }
  // Whatever is due, a key is refused: one number alone would say that something else is wrong.
  const numbersOf = ({ due = [] }: Finding) => listedIn(due).map(String)
  const numbers = unique(findings.flatMap(numbersOf))
  if (isOfKey && numbers.length >= maxListed) return `; expected no ${statusesOf(findings)}`
  if (isOfKey && numbers.length > 0) return ` instead of ${listed(numbers)}`
  const own = new Set(numbersOf(first))
  const isOther = (each: Finding) => !own.isSubsetOf(new Set(numbersOf(each)))
  const isOfSeveral = first.after !== undefined || findings.some(isOther)
  return isOfSeveral && numbers.length > 1
    ? ` instead of ${listed(numbers.toSorted())}`
    : insteadOf(first)
}

const ofStatus = (first: Observed, findings: readonly Observed[]): string => {
  const operations = operationsOf(findings)
  // A refused key, or a spent quota, has nothing to do with what was requested.
  const isRefusal = isRefusalOfKey(first.status)
  const isIsolated = findings.every(({ passing }) => passing !== undefined)
  const isOfKey = isRefusal && operations.includes(' and ') && !isIsolated
  const isOfValid = isOfKey && !first.keys && findings.every(({ status }) => status === 401)
  // A 404 is due where no pet has the id.
  const isOfUnknown = findings.every(({ due }) => isDeepStrictEqual(due, [[404, 404]]))
  const ofId = isOfUnknown ? ' with an unknown id' : ''
  // Of what fails by chance the conditions of others may be chance.
  const own = first.chance === undefined ? findings : [first]
  const condition = isOfKey || (isRefusal && first.isOpen) ? '' : conditionsOf(own) || ofId
  const around = `${isOfValid ? ' with a valid key' : ''}${surroundingsOf(findings)}`
  // Where nothing is known to matter the request is shown as it was sent.
  const [target, ...others] = unique(
    findings.flatMap((each): readonly (string | undefined)[] => each.targets ?? [undefined]),
  )
  const isSent = !isRefusal && !first.after && target !== undefined && condition === ''
  const ofOthers = others.length > 0 ? ', among others' : ''
  const request = isSent
    ? `${operations.split(' ')[0]} ${target}${ofOthers}${around}`
    : `${operations}${condition}${around}`
  if (findings.some(({ status }) => status === null)) return `${request}: ${first.actual}`
  if (first.keys) return `${request}: ${first.actual}; expected ${first.expected}`
  const statuses = statusesOf(findings)
  const got = first.kind === undefined ? statuses : `${statuses} with ${first.kind}`
  return `${request}: ${got}${dueFor(first, findings, isOfKey)}`
}

const ofMember = (first: Observed, findings: readonly Observed[]): string => {
  const { name = '', kind = '', actual: found, expected, brief } = first
  const members = listed(membersIn(findings), 'and')
  const isMany = members !== name
  const request = `${operationsOf(findings)}${conditionsOf(findings)}${surroundingsOf(findings)}`
  const returns = kind === 'as sent' ? ' returns' : ':'
  const isFiller = fillers.includes(first.kind)
  if (!isMany && isFiller && brief) return `${request}: ${name} comes back with ${brief}`
  if (!isMany && isFiller) return `${request}${returns} ${found}; expected ${expected}`
  const [is, comes] = isMany ? ['are', 'come'] : ['is', 'comes']
  const what = `${members} ${isManner(kind) ? comes : is} ${kind}`
  return `${request}: ${what}${brief ? `: ${brief}` : ` (${found}; expected ${expected})`}`
}

/** `on a 200; `, `on errors; ` */
const whereOf = (findings: readonly Observed[]): string => {
  const statuses = unique(findings.map(({ status }) => status ?? 0))
  if (statuses.length <= maxListed) return `on a ${statusesOf(findings)}; `
  return statuses.every((one) => one >= 400) ? 'on errors; ' : ''
}

/** What several responses do, and not one of them. */
const ofSeveral: readonly Finding['kind'][] = [
  'falls by more than one',
  'does not fall',
  'does not rise after its Reset',
  'moves back',
]

const ofHeader = (first: Observed, findings: readonly Observed[]): string => {
  const around = surroundingsOf(findings, ' of key')
  const names = listed(membersIn(findings).sort())
  if (first.kind === 'missing') {
    const { subject, has, where } = subjectOf(findings)
    return `${subject}${around} ${has} ${first.isAll ? '' : 'no '}${names}${where}`
  }
  const { kind = '' } = first
  const kinds = findings.filter(({ name, kind }) => name === first.name && kind === first.kind)
  const isOfSeveral = ofSeveral.includes(first.kind)
  const expected = `(${isOfSeveral ? '' : whereOf(kinds)}expected ${first.expected})`
  // Several responses show it, by their numbers.
  if (isOfSeveral) return `${first.name}${around} ${first.actual} ${expected}`
  const value = briefly(first)
  const is = isManner(kind) ? 'comes' : 'is'
  const shown = lengthOf(value) === 0 ? '' : `: ${value}`
  return `${first.name}${around} ${is} ${kind}${shown} ${expected}`
}

const ofBody = (first: Observed, findings: readonly Observed[]): string => {
  const { subject, has, where } = subjectOf(findings)
  const of = `${subject}${surroundingsOf(findings)}`
  const bodies = has === 'has' ? 'its body' : 'their bodies'
  if (first.name !== undefined && first.kind === 'missing')
    return `${of} ${has} no ${listed(membersIn(findings))} in ${bodies}${where}`
  const { name, kind = '' } = first
  // Each has its own value, of one type; a number may be of the right type and out of range.
  if (name !== undefined && isShape(kind) && kind !== 'a number') {
    return `${of}: ${name} is ${kind}; expected ${first.expected}`
  }
  const found = briefly(first)
  if (first.kind === 'reveals internals') return `${of} ${first.kind}, such as ${found}`
  if (first.kind === noJson) return `${of} ${has} ${found}${first.lacks ?? ''}${where}`
  return `${of}${first.has ? ' has' : ':'} ${found}; expected ${first.expected}`
}

const ofOthers = (first: Observed, findings: readonly Observed[]): string => {
  const { operations, expected } = first
  const condition = conditionsOf([first])
  // Where nothing was requested of the API, its description is what is wrong.
  const what = listed(operations, 'and') || 'The published description'
  const around = surroundingsOf(findings, isCounted(first) ? 'Key' : undefined)
  const key = findings.every(({ keys }) => keys?.length) ? '' : 'One key'
  const request = `${isCounted(first) ? key : `${what}${condition}`}${around}`
  return `${request}: ${briefly(first)}; expected ${expected}`
}

const sentences: Readonly<Record<Finding['aspect'], typeof ofOthers>> = {
  status: ofStatus,
  silence: ofStatus,
  member: ofMember,
  header: ofHeader,
  body: ofBody,
  count: ofOthers,
  behaviour: ofOthers,
}

/** A request without a valid key: whether it is served, or refused for something else. */
const ofKeyless = ({ status, conditions }: Finding): string | undefined =>
  conditions.some(({ about }) => about === 'key') && !isBroken(status) ? `${status}`[0] : undefined

const isStatusLike = (one: Finding, first: Finding): boolean =>
  one.status === first.status ||
  (ofKeyless(first) !== undefined && ofKeyless(one) === ofKeyless(first))

/** What calls violate. */
const lawOf = ({ requirement, name, kind, status }: Finding): readonly unknown[] => [
  ...[requirement, name, kind, status],
]

/** Findings that one sentence can hold: those like the first one. */
const alike = ([first, ...others]: readonly Observed[]): readonly Observed[] => {
  if (!first) return []
  const same = others.filter((each) => {
    if (each.aspect !== first.aspect) return false
    // What is said of calls is said in the words of the first one.
    if (first.keys) return each.keys && isDeepStrictEqual(lawOf(each), lawOf(first))
    if (!isSince(each, first)) return false
    if (each.aspect === 'status') return !each.keys && isStatusLike(each, first)
    // What is another value in one member has nothing to do with another member.
    const isOfMember = each.aspect !== 'member' || isOfAnyMember(each.kind)
    if (!isOfMember && each.name !== first.name) return false
    return each.kind === first.kind && isBroken(first.status) === isBroken(each.status)
  })
  return [first, ...same]
}

/** The share of values that are changed in another way too, as the largest by a second cause. */
const maxUnlike = 0.1

const sumOf = (findings: readonly Finding[]): number =>
  findings.reduce((sum, { times }) => sum + times, 0)

/** What a check found, the first with how often it found likewise, in whatever responses. */
const findingsOf = ({ id, requirement, findings = [] }: CheckResult): Observed[] => {
  const [first, ...others] = findings.map((each) => ({ requirement, ...each }))
  if (!first) return []
  if (first.aspect === 'status' && !first.keys) {
    // Of requests that break a server, or are drawn, each is shown by itself.
    const isOfEach = isBroken(first.status) || isDrawn(id)
    return [first, ...others.filter(({ due }) => !isOfEach && isDeepStrictEqual(due, first.due))]
  }
  const isLike = (one: Finding) =>
    isLikeFirst(one, first) &&
    (first.aspect !== 'body' || isBroken(one.status) === isBroken(first.status))
  const otherwise = others.filter((one) => one.aspect === 'member' && one.name === first.name)
  if (first.aspect === 'member' && sumOf(otherwise) > maxUnlike * first.times) {
    return [{ ...first, kind: 'another value' }]
  }
  const same = [first, ...others.filter(isLike)]
  const times = sumOf(same)
  const statuses = same.map(({ status }) => status ?? 0)
  const isOfAny = statuses.some((one) => one < 300) && statuses.some((one) => one >= 400)
  // That all lack it says more than which ones do.
  const isAll = first.kind === 'missing' && isOfAny && times === first.judged
  const operations = unique(same.flatMap((each) => each.operations))
  const own = first.times
  return [{ ...first, operations, times, own, ...(isAll && { isAll }) }, ...others]
}

const isPage = ({ aspect, kind }: Finding): boolean => aspect === 'body' && kind === noJson

/** What all those pages have not either: a gateway sends them. */
const lackedWith = (page: Observed, results: readonly CheckResult[]): string => {
  const missing = results.flatMap(({ findings = [] }) =>
    findings.filter(
      ({ aspect, kind, status, times }) =>
        aspect === 'header' &&
        kind === 'missing' &&
        status === page.status &&
        times >= (page.own ?? page.times),
    ),
  )
  return missing.length > 0 ? `, and no ${listed(membersIn(missing).sort(), 'or', 4)}` : ''
}

/** A number of more digits is not read; of one that is cut it is not known how many it has. */
const shortened = (sentence: string): string =>
  sentence.replace(/\d{41,}(…?)/g, (all, cut) =>
    cut ? `${all.slice(0, 8)}…` : `${all.slice(0, 8)}… (${all.length} digits)`,
  )

/** @param results the first one is shown with the sentence */
export const observedIn = (results: readonly CheckResult[]): string => {
  const [show] = results
  // What is a should adds nothing to a must.
  const own = results.filter(({ outcome }) => outcome === show?.outcome)
  const findings = alike(own.flatMap(findingsOf))
  const [first] = findings
  if (!first) return show?.detail ?? ''
  const shown = isPage(first) ? { ...first, lacks: lackedWith(first, own) } : first
  return shortened(`${sentences[first.aspect](shown, findings)}${shareOf(findings)}`)
}
