// Under which condition something was observed, in words: what of the request matters, and what
// around it.
import type { Finding } from '../engine/check/run-file.ts'
import { listedOnce, maxListed, unique } from '../history/quote.ts'
import { anyKey, joinWords, noKey } from '../model/read.ts'

/** `with a body that is not JSON`, without the body. */
const kindOf = (words: string): string => words.replace(/^(with [^"(]*JSON[^"(]*) \(.*$/s, '$1')

/** `with categoryId true`; of several what is wrong with a body is not shown. */
const conditionOf = ({ conditions }: Finding): string =>
  conditions.length > 1
    ? joinWords(conditions.map(({ words }) => ({ words: kindOf(words) })))
    : joinWords(conditions)

/** One for each value, where it alone matters. */
const byValue = (finding: Finding): readonly Finding[] => {
  const [own, ...others] = finding.conditions
  if (!own?.also || others.length > 0) return [finding]
  const { also, ...alone } = own
  return [own.words, ...also].map((words) => ({ ...finding, conditions: [{ ...alone, words }] }))
}

/** The key that the numbers are of, with how many others show it too. */
export const ofKeys = (findings: readonly Finding[], of: 'with' | 'of'): string => {
  const [shown, ...more] = new Set(findings.flatMap((each) => each.keys ?? []))
  if (shown === undefined || !findings.every((each) => each.keys?.length)) return ''
  return ` ${of} key ${shown}${more.length > 0 ? ` (and ${more.length} more)` : ''}`
}

const firstSeq = ({ exchanges }: Finding): number => Math.min(...exchanges)

/** Whether what was sent before the first one came before the other one too. */
export const isSince = (one: Finding, first: Finding): boolean =>
  first.after === undefined || one.after !== undefined || firstSeq(one) >= firstSeq(first)

/** What was sent before, by which keys, and when at the target: where it is said of all. */
export const surroundingsOf = (findings: readonly Finding[]): string => {
  const [first] = findings
  if (!first) return ''
  const { after, date } = first
  const keys = ofKeys(findings, 'with')
  if (after && findings.every((each) => isSince(each, first))) return `${keys} ${after}`
  return date && findings.every((each) => each.date) ? `${keys} at ${date}` : keys
}

/** So many kinds of invalid key are counted. */
const minKeys = 3

export const maxKinds = 6

/** Of a request in which nothing but its key is wrong. */
const keyOf = ({ conditions: [first, ...others] }: Finding) =>
  first?.about === 'key' && others.length === 0 ? first : undefined

/** `with name 5, with status 0 or without categoryId` */
export const conditionsOf = (found: readonly Finding[]): string => {
  const findings = found.flatMap(byValue)
  if (findings.some((each) => conditionOf(each) === '')) return ''
  // Where no key is needed, none that is wrong matters; of several the first one is shown.
  const keys = findings.flatMap((each) => keyOf(each) ?? [])
  const isOfAny = keys.some(({ kind }) => !kind.startsWith('none'))
  const used = unique(keys.map(({ words }) => words))
  if (used.includes(noKey)) return ` ${noKey}${isOfAny ? ` or ${anyKey}` : ''}`
  const kinds = used.filter((each) => each !== anyKey)
  if (kinds.length >= minKeys) {
    return ` with ${kinds.length} kinds of invalid key, such as ${kinds[0]?.replace(/^with /, '')}`
  }
  const specific = findings.filter((each) => keyOf(each)?.words !== anyKey)
  // What matters alone comes before what matters with others.
  const some = (specific.length > 0 ? specific : findings).toSorted(
    (one, other) => one.conditions.length - other.conditions.length,
  )
  const words = unique(some.map(conditionOf))
  if (words.length === 0) return ''
  const shown = unique(words.length > 1 ? words.map(kindOf) : words)
  const areCreations = findings.every(({ operations }) => operations.join() === 'POST /pets')
  const most = areCreations ? maxKinds : maxListed
  const values = some.flatMap(({ conditions }) => conditions)
  const hasOthers =
    values.some(({ also, words: own }) => also && kindOf(own) === own) ||
    unique(some.map(conditionOf).map(kindOf)).length > shown.length
  return ` ${listedOnce(shown, most, hasOthers)}`
}
