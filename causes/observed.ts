// The sentence that says what was observed, made of the evidence alone.
import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { noJson } from '../history/value-kinds.ts'
import {
  conditionsOf,
  listed,
  maxListed,
  ofKeys,
  surroundingsOf,
  unique,
} from './condition-words.ts'
import { isUnknownId } from './features.ts'
import { isDrawn, refusalsOfKeys } from './groups.ts'
import { type Observed, operationsOf, shareOf, statusesOf, subjectOf } from './words.ts'

/** What was received, without the steps that led to it. */
const withoutSteps = (actual: string): string => actual.replace(/; steps: .*$/s, '')

/** A body is shown below the headline. */
const withoutBody = (actual: string): string =>
  withoutSteps(actual)
    .replace(/(?<=^\d{3}|:) ?\ufeff?[[{"].*$/s, '')
    .replace(/:$/, '')

/** Whether its target says more than its conditions: that no pet has the id. */
const isOfTarget = ({ target, situation, conditions }: Finding): boolean =>
  target !== undefined && situation === undefined && conditions.every(isUnknownId)

const no5xx = 'no 5xx response'

const ofStatus = (findings: readonly Observed[]): string => {
  const [first] = findings
  const operations = operationsOf(findings)
  // A refused key, or a spent quota, has nothing to do with what was requested.
  const isRefusal = refusalsOfKeys.includes(String(first?.status))
  const isOfKey = isRefusal && operations.includes(' and ')
  const condition = isOfKey ? '' : conditionsOf(findings)
  const around = surroundingsOf(findings)
  // Where nothing is known to matter the request is shown as it was sent, if there is but one.
  const targets = new Set(findings.map(({ target }) => target))
  const isOne = !isRefusal && around === '' && targets.size === 1 && findings.every(isOfTarget)
  const dues = findings.map(({ expected }) => expected.replace(/^status (?=\d)/, ''))
  const [own = ''] = dues
  const request = isOne ? `GET ${first?.target}` : `${operations}${condition}${around}`
  if (findings.some(({ status }) => status === null)) return `${request}: ${first?.actual ?? ''}`
  if (first?.keys) return `${request}: ${withoutSteps(first.actual)}; expected ${own}`
  // Whatever is due, a key is refused: one number alone would say that something else is wrong.
  const numbers = dues.filter((each) => /^\d/.test(each))
  // Of requests that break the server each has its own due.
  const specific = unique(dues.filter((each) => each !== no5xx))
  const ofBroken = specific.length === 1 ? specific[0] : no5xx
  const any = isOfKey && numbers.length > 0 ? listed(numbers) : own
  const due = (isBroken(first?.status ?? null) ? ofBroken : any) ?? ''
  const joint = /^no /.test(due) ? '; expected' : ' instead of'
  const got = first?.kind === undefined ? first?.status : `${first.status} with ${first.kind}`
  return `${request}: ${got}${joint} ${due}`
}

const ofMember = (findings: readonly Observed[]): string => {
  const [first] = findings
  if (!first) return ''
  const { name = '', kind = '', actual, expected } = first
  const members = listed(
    findings.map((each) => each.name ?? ''),
    'and',
  )
  const isMany = members !== name
  const request = `${operationsOf(findings)}${conditionsOf(findings)}${surroundingsOf(findings)}`
  const found = withoutSteps(actual)
  // The filter itself is what was expected.
  if (kind === 'not of the filter') return `${request}: ${found}; expected ${expected}`
  const [is, comes] = isMany ? ['are', 'come'] : ['is', 'comes']
  const what = `${members} ${kind.startsWith('with ') ? comes : is} ${kind}`
  return `${request}: ${what} (${found}; expected ${expected})`
}

/** What the header has; of several responses, or of what follows from it, what was found. */
const valueIn = ({ name, kind, value, actual }: Finding): string => {
  const found = withoutSteps(actual)
  if (value === kind) return ''
  if (kind === 'not in the future') return value ?? found
  return found.startsWith(`${name}: `) ? found.slice(`${name}: `.length) : found
}

const ofHeader = (findings: readonly Observed[]): string => {
  const [first] = findings
  if (!first) return ''
  const around = ofKeys(findings, 'of')
  const names = listed(findings.map(({ name }) => name ?? '').sort())
  if (first.kind === 'missing') {
    return `${subjectOf(findings)}${around} has ${first.isAll ? '' : 'no '}${names}`
  }
  const { kind = '' } = first
  const kinds = findings.filter(({ name, kind }) => name === first.name && kind === first.kind)
  const statuses = unique(kinds.map(({ status }) => status))
  const isOfSeveral = /^(?:does|falls|moves)\b/.test(kind)
  const where = isOfSeveral || statuses.length > 1 ? '' : `on a ${statusesOf(kinds)}; `
  const expected = `(${where}expected ${first.expected})`
  // Several responses show it, by their numbers.
  if (isOfSeveral) {
    return `${first.name}${around} ${withoutSteps(first.actual)} ${expected}`
  }
  const value = valueIn(first)
  const is = kind.startsWith('with ') ? 'comes' : 'is'
  return `${first.name}${around} ${is} ${kind}${value === '' ? '' : `: ${value}`} ${expected}`
}

const ofBody = (findings: readonly Observed[]): string => {
  const [first] = findings
  if (!first) return ''
  const operations = unique(findings.flatMap((each) => each.operations))
  const isApart = findings.some(({ where }) => where !== undefined)
  const request =
    isApart || operations.length > maxListed
      ? ''
      : ` of ${operationsOf(findings)}${conditionsOf(findings)}`
  const of = `${subjectOf(findings)}${request}${surroundingsOf(findings)}`
  if (first.name !== undefined && first.kind === 'missing')
    return `${of} has no ${first.name} in its body`
  const found = withoutBody(first.actual)
  if (first.kind === noJson) return `${of} has ${found.replace(/^\d{3} with /, '')}`
  const status = `${first.status} with `
  const what = found.startsWith(status) ? found.slice(status.length) : found
  return `${of}: ${what}; expected ${first.expected}`
}

const ofOthers = (findings: readonly Observed[]): string => {
  const [first] = findings
  if (!first) return ''
  const { operations, expected, actual } = first
  const request = `${listed(operations, 'and')}${conditionsOf([first])}${surroundingsOf(findings)}`
  return `${request}: ${withoutBody(actual)}; expected ${expected}`
}

const sentences: Readonly<Record<Finding['aspect'], (findings: readonly Observed[]) => string>> = {
  status: ofStatus,
  silence: ofStatus,
  member: ofMember,
  header: ofHeader,
  body: ofBody,
  count: ofOthers,
  behaviour: ofOthers,
}

const isBroken = (status: number | null) => status === null || status >= 500

/** Findings that one sentence can hold: those like the first one. */
const alike = ([first, ...others]: readonly Observed[]): readonly Observed[] => {
  if (!first) return []
  const same = others.filter((each) => {
    if (each.aspect !== first.aspect) return false
    // What is said of calls is said in the words of the first one.
    if (first.keys) return each.expected === first.expected
    if (each.aspect === 'status') return each.status === first.status && !each.keys
    return each.kind === first.kind && isBroken(first.status) === isBroken(each.status)
  })
  return [first, ...same]
}

/** The share of values that are changed in another way too, as the largest by a second cause. */
const maxUnlike = 0.1

/** On how many more or fewer depends on the data. */
const directionOf = ({ kind = '' }: Finding): string =>
  kind.replace(/^(?:one|several) too /, 'too ')

/** Whether one check found it likewise elsewhere: on another status, in other numbers. */
const isLike = (one: Finding, first: Finding): boolean => {
  if (one.aspect !== first.aspect || one.name !== first.name) return false
  if (first.aspect === 'body' && isBroken(one.status) !== isBroken(first.status)) return false
  if (directionOf(one) !== directionOf(first)) return false
  return first.aspect !== 'status' || (first.keys !== undefined && one.status === first.status)
}

/** Of the values of a check further ones may get what is not due. */
const isAccepted = (one: Finding, first: Finding): boolean =>
  [one.aspect, one.status, one.expected, ...one.operations].join() ===
    [first.aspect, first.status, first.expected, ...first.operations].join() &&
  one.conditions.length > 0

/** None where all keys show it. */
const keysIn = (findings: readonly Finding[]): readonly string[] =>
  findings.some(({ keys }) => keys?.length === 0)
    ? []
    : unique(findings.flatMap(({ keys = [] }) => keys))

/** The first finding of a check, with what it found alike in responses of other statuses. */
const firstIn = ({ id, findings: [first, ...others] = [] }: CheckResult): readonly Observed[] => {
  if (!first) return []
  if (first.aspect === 'status' && !isBroken(first.status) && !isDrawn(id) && !first.keys) {
    return [first, ...others.filter((each) => isAccepted(each, first))]
  }
  const sum = (some: readonly Finding[]) => some.reduce((all, { times }) => all + times, 0)
  const otherwise = others.filter((each) => {
    return each.aspect === 'member' && each.name === first.name && each.kind !== first.kind
  })
  if (first.aspect === 'member' && sum(otherwise) > maxUnlike * first.times) {
    return [{ ...first, kind: 'another value', times: first.times + sum(otherwise) }]
  }
  const same = [first, ...others.filter((each) => isLike(each, first))]
  if (same.length === 1) return [first]
  const [times, statuses] = [sum(same), same.map(({ status }) => status ?? 0)]
  const isOfAny = statuses.some((one) => one < 300) && statuses.some((one) => one >= 400)
  const merged = {
    ...first,
    times,
    operations: unique(same.flatMap((each) => each.operations)),
    ...(first.keys && { keys: keysIn(same) }),
  }
  if (first.aspect !== 'body' && first.aspect !== 'header') return [merged]
  // That all lack it says more than which ones do.
  const isAll = first.kind === 'missing' && isOfAny && times === first.judged
  return [{ ...merged, ...(isAll && { isAll }) }, ...same.slice(1)]
}

/** Headers that the same responses lack, since they are not the service's. */
const lackedIn = (results: readonly CheckResult[]): string => {
  const names = results.flatMap(({ findings: [first] = [] }) =>
    first?.aspect === 'header' && first.kind === 'missing' ? [first.name ?? ''] : [],
  )
  return names.length > 0 ? `, and no ${listed(names.sort())}` : ''
}

/** That responses show a pet that was created so. */
const returnedIn = (results: readonly CheckResult[]): string => {
  const findings = results.flatMap((each) => each.findings ?? [])
  const shown = findings.filter(({ creations }) => creations !== undefined)
  return shown.length > 0 ? '; later responses show what it stored' : ''
}

/** @param results the first one is shown with the sentence */
export const observedIn = (results: readonly CheckResult[]): string => {
  const [show] = results
  // What is a should adds nothing to a must.
  const own = results.filter(({ outcome }) => outcome === show?.outcome)
  const findings = alike(own.flatMap(firstIn))
  const [first] = findings
  if (!first) return show?.detail ?? ''
  const follows = {
    ...{ body: lackedIn, header: undefined, member: undefined, count: undefined },
    ...{ status: returnedIn, silence: undefined, behaviour: undefined },
  }[first.aspect]
  return `${sentences[first.aspect](findings)}${follows?.(own) ?? ''}${shareOf(findings)}`
}
