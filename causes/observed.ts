// The sentence that says what was observed, made of the evidence alone.
import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { refusalsOfKeys } from './groups.ts'

const maxListed = 3

/** A finding, and what shows it where responses of several statuses do. */
interface Observed extends Finding {
  readonly subject?: string
}

/** `a, b or c`; after three of them how many more there are. */
const listed = (all: readonly string[], last = 'or'): string => {
  const distinct = [...new Set(all)]
  const shown = distinct.slice(0, maxListed)
  const more = distinct.length - shown.length
  if (more > 0) return `${shown.join(', ')} ${last} ${more} more`
  const [end = ''] = shown.slice(-1)
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} ${last} ${end}` : end
}

/** `with categoryId true`, or what the check says of its requests. */
const conditionOf = ({ conditions, situation }: Finding): string =>
  situation ?? conditions.map(({ words }) => words).join(' and ')

/** Those of which no other one is a part: of `with a` and `with a and with b` the first. */
const weakest = (findings: readonly Finding[]): readonly Finding[] => {
  const sets = findings.map(({ conditions }) => new Set(conditions.map(({ words }) => words)))
  const isStronger = (at: number, other: number) => {
    const [one, two] = [sets[at] ?? new Set(), sets[other] ?? new Set()]
    return two.size < one.size && [...two].every((each) => one.has(each))
  }
  return findings.filter((_finding, at) => !sets.some((_set, other) => isStronger(at, other)))
}

/** `with a body that is not JSON`, without the body. */
const kindOf = (words: string): string => words.replace(/^(with a body that is [^:]+): .*$/s, '$1')

/** `with name 5, with status 0 or without categoryId` */
const conditionsOf = (findings: readonly Finding[]): string => {
  if (findings.some((each) => conditionOf(each) === '')) return ''
  // What a check says of its requests is more than what they show.
  const said = findings.filter(({ situation }) => situation !== undefined)
  const words = (said.length > 0 ? said : weakest(findings)).map(conditionOf)
  // One body is shown; of several only what is wrong with them.
  const isOne = new Set(words).size === 1
  return words.length === 0 ? '' : ` ${listed(words.map((each) => (isOne ? each : kindOf(each))))}`
}

/** What was received, without the steps that led to it. */
const withoutSteps = (actual: string): string => actual.replace(/; steps: .*$/s, '')

const operationsOf = (findings: readonly Finding[]): string =>
  listed(
    findings.flatMap(({ operations }) => operations),
    'and',
  )

const statusesOf = (findings: readonly Finding[]): string =>
  listed(findings.map(({ status }) => String(status ?? 'no response')))

const ofStatus = (findings: readonly Finding[]): string => {
  const [first] = findings
  const operations = operationsOf(findings)
  // A refused key, or a spent quota, has nothing to do with what was requested.
  const isRefusal = refusalsOfKeys.includes(String(first?.status))
  const isOfKey = isRefusal && operations.includes(' and ')
  const condition = isOfKey ? '' : conditionsOf(findings)
  // Where nothing is known to matter the request is shown as it was sent, if there is but one.
  const targets = new Set(findings.map(({ target }) => target))
  const isOne = !isRefusal && condition === '' && targets.size === 1 && first?.target !== undefined
  const request = isOne ? `GET ${first.target}` : `${operations}${condition}`
  if (findings.some(({ status }) => status === null)) return `${request}: ${first?.actual ?? ''}`
  const dues = findings.map(({ expected }) => expected.replace(/^status (?=\d)/, ''))
  const [own = ''] = dues
  // Whatever is due, a key is refused: one number alone would say that something else is wrong.
  const due = isOfKey && /^\d/.test(own) ? listed(dues.filter((each) => /^\d/.test(each))) : own
  const joint = /^no /.test(due) ? '; expected' : ' instead of'
  const got = first?.kind === undefined ? first?.status : `${first.status} with ${first.kind}`
  return `${request}: ${got}${joint} ${due}`
}

const ofMember = ([first, ...others]: readonly Finding[]): string => {
  if (!first) return ''
  const { name = '', kind = '', actual, expected } = first
  const members = listed(
    [first, ...others].map((each) => each.name ?? ''),
    'and',
  )
  const isMany = members !== name
  const operations = operationsOf([first, ...others])
  const what = `${members} ${isMany ? 'are' : 'is'} ${kind}`
  return `${operations}: ${what} (${withoutSteps(actual)}; expected ${expected})`
}

const ofHeader = (findings: readonly Observed[]): string => {
  const [first] = findings
  if (!first) return ''
  const names = listed(findings.map(({ name }) => name ?? '').sort())
  const statuses = statusesOf(findings)
  if (first.kind === 'missing') return `A ${statuses} has no ${names}`
  const { value: sent, kind = '' } = first
  // What several responses show takes the numbers of all.
  const isOfSeveral = /^(?:does|falls|moves)\b/.test(kind)
  const whole = isOfSeveral ? withoutSteps(first.actual) : sent
  const what = whole?.startsWith(kind) ? whole : `${kind}${whole === undefined ? '' : `: ${whole}`}`
  const kinds = findings.filter(({ name, kind }) => name === first.name && kind === first.kind)
  const where = kinds.some(({ subject }) => subject) ? '' : `on a ${statusesOf(kinds)}; `
  const verb = isOfSeveral ? '' : 'is '
  return `${first.name} ${verb}${what} (${where}expected ${first.expected})`
}

const ofBody = (findings: readonly Observed[]): string => {
  const [first] = findings
  if (!first) return ''
  const several = findings.find(({ subject }) => subject !== undefined)
  const subject = several?.subject ?? `A ${statusesOf(findings)}`
  const operations = new Set(findings.flatMap((each) => each.operations))
  const of = operations.size > maxListed ? subject : `${subject} of ${operationsOf(findings)}`
  if (first.name !== undefined && first.kind === 'missing')
    return `${of} has no ${first.name} in its body`
  // The body itself is shown below the headline.
  const found = withoutSteps(first.actual).replace(/: [[{].*$/s, '')
  return `${of}: ${found}; expected ${first.expected}`
}

const ofOthers = ([first]: readonly Finding[]): string => {
  if (!first) return ''
  const { operations, expected, actual } = first
  return `${listed(operations)}: ${withoutSteps(actual)}; expected ${expected}`
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

/** How many responses show it, where one check saw several. */
const shareOf = (findings: readonly Finding[]): string => {
  // With another condition it may be another share.
  const isOfCondition = /^(?:status|silence)$/.test(findings[0]?.aspect ?? '')
  const alike = isOfCondition ? findings.slice(0, 1) : findings
  const [most] = alike.toSorted((a, b) => b.times - a.times)
  if (!most || most.times < 2) return ''
  if (most.times === most.judged) return ` (all ${most.judged} responses that were judged)`
  return ` (${most.times} of ${most.judged} responses)`
}

/** Findings that one sentence can hold: those like the first one. */
const alike = ([first, ...others]: readonly Observed[]): readonly Observed[] => {
  if (!first) return []
  const isBroken = (status: number | null) => status === null || status >= 500
  const same = others.filter((each) => {
    if (each.aspect !== first.aspect) return false
    if (each.aspect === 'status') return each.status === first.status
    return each.kind === first.kind && isBroken(first.status) === isBroken(each.status)
  })
  return [first, ...same]
}

/** The share of values that are changed in another way too, as the largest by a second cause. */
const maxUnlike = 0.1

/** A way in which a value changes is named only where it explains what came back. */
const isOtherChange = (one: Finding, first: Finding): boolean =>
  one.aspect === first.aspect && one.name === first.name && one.kind !== first.kind

/** The first finding of a check, with what it found alike in responses of other statuses. */
const firstIn = ({ findings: [first, ...others] = [] }: CheckResult): readonly Observed[] => {
  if (!first) return []
  const isOfAll = first.aspect === 'body' || (first.aspect === 'header' && first.kind !== 'missing')
  const same = others.filter(
    ({ aspect, name, kind, value }) =>
      [aspect, name, kind, value].join() ===
      [first.aspect, first.name, first.kind, first.value].join(),
  )
  const otherwise = others.filter((each) => isOtherChange(each, first))
  const unlike = otherwise.reduce((sum, { times }) => sum + times, 0)
  if (first.aspect === 'member' && unlike > maxUnlike * first.times) {
    return [{ ...first, kind: 'another value' }]
  }
  if (!isOfAll || same.length === 0) return [first]
  const operations = [...new Set([first, ...same].flatMap((each) => each.operations))]
  const times = same.reduce((sum, each) => sum + each.times, first.times)
  const areErrors = [first, ...same].every(({ status }) => (status ?? 0) >= 400)
  return [{ ...first, operations, times, subject: areErrors ? 'An error' : 'A response' }]
}

/** @param results the first one is shown with the sentence */
export const observedIn = (results: readonly CheckResult[]): string => {
  const findings = alike(results.flatMap(firstIn))
  const [first] = findings
  if (!first) return results[0]?.detail ?? ''
  return `${sentences[first.aspect](findings)}${shareOf(findings)}`
}
