// Which failures are one observation: grouped by their evidence, not by what often fails together.

import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { lengthOf } from '../history/text.ts'
import { noJson } from '../history/value-kinds.ts'
import { breakingOf, isBroken, isLikeFirst, isOfAnyMember, isPlain, keysOf } from './keys.ts'

/** Whether a check is a walk: what it meets depends on the seed. */
export const isDrawn = (id: string): boolean => id.startsWith('walk-')

/** A failed check; or one of its further findings, by number, as a failure of its own. */
export interface Failure extends CheckResult {
  readonly shows?: number
  /** The check has a failure of its own besides. */
  readonly isFurther?: boolean
}

/** Failures that are one observation; the first one shows it. */
export type Group = readonly Failure[]

interface Shown {
  readonly listed: ReadonlySet<number>
  /** How many there are, at least. */
  readonly times: number
  /** The last one of a kind of which later ones are not listed; infinite if all are. */
  readonly cutAt: number
}

/** @param isHost whether only what its first findings show matters */
const shownBy = (results: readonly CheckResult[], isHost = false): Shown => {
  const findings = results.flatMap(({ findings: all = [] }) =>
    all.filter((each, at) => at === 0 || !isHost || isLikeFirst(each, all[0] ?? each)),
  )
  const listed = new Set(findings.flatMap(({ exchanges }) => exchanges))
  const cut = findings.filter(({ times, exchanges }) => exchanges.length < times)
  return {
    listed,
    times: Math.max(listed.size, ...findings.map(({ times }) => times)),
    // The first is what shows it best; the others come in their order.
    cutAt: Math.min(...cut.map(({ exchanges }) => Math.max(...exchanges.slice(1)))),
  }
}

/** So many that two failures share stand for those that are not listed. */
const minCommon = 10

/** Whether each exchange of the guest is one of the host, as far as they are listed. */
const isWithin = (guest: Shown, host: Shown): boolean => {
  if (guest.times > host.times) return false
  const others = [...guest.listed].filter((seq) => !host.listed.has(seq))
  const isKnown = others.length === 0 || guest.listed.size - others.length >= minCommon
  return isKnown && others.every((seq) => seq > host.cutAt)
}

/** A page or a text, as a proxy or a container sends it, has none of what the service adds. */
const isForeign = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'body' && first.kind === noJson

const isOfPart = ({ findings: [first] = [] }: Pick<CheckResult, 'findings'>): boolean =>
  ['body', 'header', 'member'].includes(first?.aspect ?? '')

const isOfBody = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'body' || first?.aspect === 'member' || first?.name === 'Content-Type'

/** A response with another body altogether: what is wrong with its members follows. */
const hasOtherBody = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'body' && first.name === undefined

/**
 * A response with a wrong status is another response: all else that is wrong with it follows. That
 * pets are missing explains no other ones.
 */
const isOtherResponse = ({ findings: [first] = [] }: CheckResult): boolean =>
  ['status', 'silence', 'behaviour'].includes(first?.aspect ?? '')

/** What shows in requests with others follows from what the same responses show in themselves. */
const isOfMixture = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'behaviour' && first.kind === 'unlike alone'

const memberOf = ({ findings: [first] = [] }: CheckResult): string | undefined =>
  first?.aspect === 'member' || first?.aspect === 'body' ? first.name : undefined

/** One value that is wrong in two ways. */
const isOfMember = (host: readonly CheckResult[], guest: readonly CheckResult[]): boolean => {
  const names = new Set(host.map(memberOf))
  return guest.every((each) => memberOf(each) !== undefined && names.has(memberOf(each)))
}

const firstsOf = (results: readonly CheckResult[]): readonly Finding[] =>
  results.flatMap(({ findings = [] }) => findings.slice(0, 1))

/** What changes one member in a known way says nothing of another one that is changed otherwise. */
const isOfOtherMember = (host: readonly CheckResult[], guest: readonly CheckResult[]): boolean => {
  const own = firstsOf(host)
  const isOther = (one: Finding) =>
    one.aspect === 'member' && !own.some(({ name, kind }) => name === one.name || kind === one.kind)
  const isKnown = ({ aspect, kind }: Finding) => aspect === 'member' && isOfAnyMember(kind)
  return own.every(isKnown) && firstsOf(guest).every(isOther)
}

const mayHost = (host: readonly CheckResult[], guest: readonly CheckResult[]): boolean =>
  host.some(isOtherResponse) ||
  (host.some(hasOtherBody) && guest.every(isOfBody)) ||
  (host.some(isForeign) && guest.every(isOfPart)) ||
  isOfMember(host, guest)

/** The lower, the better it shows what is wrong; the first number that differs decides. */
const ranksOf = (failure: Failure): readonly number[] => {
  const { id, outcome, isFurther = false, evidence, expected, actual } = failure
  const [first] = failure.findings ?? []
  const shown = evidence.at(-1)
  const isDerived = shown?.check !== id
  // How many pets a list may have depends on what was asked for: most lists show it best.
  const share = first?.aspect === 'count' ? first.times / first.judged : 0
  return [
    // What a walk violates says little of what is wrong: its requirement is a wide one.
    ...[isFurther, outcome !== 'fail', isDrawn(id), !first?.after].map(Number),
    Number(first?.chance !== undefined && first.aspect !== 'status'),
    ...[Number(shown?.together !== undefined), Number(isDerived)],
    ...[-share, lengthOf(expected) + lengthOf(actual)],
  ]
}

/** Compares by the first number that differs, the lower first. */
export const byRanks = (a: readonly number[], b: readonly number[]): number =>
  a.map((rank, at) => rank - (b[at] ?? 0)).find(Boolean) ?? 0

const isBreak = ({ findings: [first] = [] }: CheckResult): boolean =>
  first !== undefined && breakingOf(first).length > 0

/** Failures that share a text, with each other or with others of their group. */
const joinByKeys = (results: readonly Failure[]): readonly Group[] => {
  const firsts = firstsOf(results)
  // Where a plain request breaks the server, no condition of others matters.
  const plain = new Set(firsts.filter(isPlain).flatMap(breakingOf))
  let groups: readonly { readonly all: Group; readonly keys: ReadonlySet<string> }[] = []
  for (const result of results) {
    const breaking = (result.findings ?? []).slice(0, 1).flatMap(breakingOf)
    const own = [...keysOf(result), ...breaking.filter((key) => plain.has(key))]
    // A should adds nothing to a must; a valid key that is refused at some requests is at others.
    const isOfAny = (key: string) => key.startsWith('refused|') || key.startsWith('chance|')
    const texts = own.map((key) => (isOfAny(key) ? key : `${result.outcome}|${key}`))
    const keys = new Set(texts)
    const same = groups.filter((each) => !each.keys.isDisjointFrom(keys))
    const joined = {
      all: [...same.flatMap(({ all }) => all), result],
      keys: new Set(same.flatMap((each) => [...each.keys]).concat(texts)),
    }
    // In the place of the first of them.
    const placed = groups.map((each) => (each === same[0] ? joined : each))
    groups = placed.filter((each) => !same.includes(each)).concat(same.length > 0 ? [] : joined)
  }
  return groups.map(({ all }) => all)
}

/** Whether what the host is about created pets of each kind that the guest is about. */
const isOfPetsFrom = (guest: readonly CheckResult[], host: Shown): boolean => {
  // The most frequent kind is what a headline is about.
  const findings = firstsOf(guest)
  const isFrom = ({ creations = [] }: Finding) => creations.some((seq) => host.listed.has(seq))
  return findings.length > 0 && findings.every(isFrom)
}

/** What laws of one count find where there are several, or one for several keys. */
const ofCounts: Readonly<Partial<Record<string, readonly Finding['kind'][]>>> = {
  'counted apart': ['too many served', 'refilled too soon', 'does not fall', 'moves back'],
  'one count for two keys': ['falls by more than one', 'does not rise after its Reset', 'too low'],
}

/** Whether the calls of keys that a guest is about are counted as the host shows. */
const isOfCount = (guest: readonly CheckResult[], host: readonly CheckResult[]): boolean => {
  const kinds = host.flatMap(({ findings: [first] = [] }) => first?.kind ?? [])
  const explained = kinds.flatMap((kind) => ofCounts[`${kind}`] ?? [])
  const isOfShared = kinds.includes('one count for two keys')
  const isExplained = ({ findings: [first] = [] }: CheckResult) =>
    first?.keys !== undefined &&
    (explained.includes(first.kind) ||
      // A law of what remains, or of what is refused, names no kind.
      (first.kind === undefined && (first.status === 429 || !isOfShared)))
  return explained.length > 0 && guest.every(isExplained)
}

const statusIn = ({ findings: [first] = [] }: CheckResult): string | undefined =>
  first?.aspect === 'status' && !isBroken(first.status)
    ? [first.status, first.due, first.operations].join('|')
    : undefined

/** What nothing isolates is no fault of its own where something isolates the same status. */
const isOpenLike = (guest: readonly CheckResult[], host: readonly CheckResult[]): boolean => {
  const isOpen = ({ findings: [first] = [] }: CheckResult) => first?.isOpen === true
  const isLike = (one: CheckResult) =>
    host.some((each) => !isOpen(each) && statusIn(each) === statusIn(one))
  return guest.every((each) => isOpen(each) && statusIn(each) !== undefined && isLike(each))
}

const firstSeq = (all: readonly CheckResult[]): number =>
  Math.min(...firstsOf(all).flatMap(({ exchanges }) => exchanges))

/** What was served before the server broke, and breaks since, breaks for that. */
const isOfState = (guest: readonly CheckResult[], host: readonly CheckResult[]): boolean => {
  const after = firstsOf(host).find((one) => breakingOf(one).length > 0)?.after
  const isSince = (one: Finding) =>
    one.after === after || (isPlain(one) && one.dependsOnHistory && one.chance === undefined)
  const isOwn = firstsOf(guest).every((one) => breakingOf(one).length > 0 && isSince(one))
  return after !== undefined && isOwn && firstSeq(guest) > firstSeq(host)
}

/** All that is wrong with a response that the server broke at follows from that. */
const isOfBroken = (results: readonly CheckResult[]): boolean =>
  results.every(isOfPart) &&
  results.every(({ findings = [] }) =>
    findings.every(({ status }) => status !== null && isBroken(status)),
  )

const isMust = (results: readonly CheckResult[]): boolean =>
  results.some(({ outcome }) => outcome === 'fail')

/** Whether it is about creations that were served, or about what those returned. */
const mayCreate = (results: readonly CheckResult[]): boolean =>
  results.every(isOfBody) ||
  results.some(
    ({ findings: [first] = [] }) => first?.aspect === 'status' && (first.status ?? 0) < 300,
  )

/** Joins failures whose every exchange is one of a group that explains them. */
const attach = (groups: readonly Group[]): Failure[][] => {
  const all = groups.map((results) => ({
    // What explains comes before what follows.
    results: results.toSorted((a, b) => byRanks(ranksOf(a), ranksOf(b))),
    isKnown: results.every(({ findings = [] }) => findings.length > 0),
    shown: shownBy(results),
    shows: shownBy(results, true),
  }))
  const broken = shownBy(groups.flat().filter(isBreak))
  const attached = new Set<(typeof all)[number]>()
  for (const group of all) {
    if (!group.isKnown) continue
    const others = all.filter((each) => each !== group && !attached.has(each))
    const host = others.find(
      ({ results, shown, shows }) =>
        (isMust(results) || !isMust(group.results)) &&
        ((mayHost(results, group.results) && isWithin(group.shown, shows)) ||
          (group.results.every(isOfMixture) && isWithin(group.shown, shown)) ||
          isOpenLike(group.results, results) ||
          isOfCount(group.results, results) ||
          isOfState(group.results, results) ||
          (results.some(isBreak) && isOfBroken(group.results) && isWithin(group.shown, broken)) ||
          (mayCreate(results) &&
            !isOfOtherMember(results, group.results) &&
            isOfPetsFrom(group.results, shown))),
    )
    if (!host) continue
    host.results.push(...group.results)
    attached.add(group)
  }
  return all.filter((each) => !attached.has(each)).map(({ results }) => results)
}

/** @param failed checks that failed or warned */
export const groupByEvidence = (failed: readonly Failure[]): readonly Group[] =>
  attach(joinByKeys(failed))
