// Which failures are one observation: grouped by their evidence, not by what often fails together.

import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { lengthOf } from '../history/text.ts'
import { isInTurn } from '../model/isolation/turns.ts'
import { breakingOf, isBroken, isLikeFirst, isPlain, keysOf } from './keys.ts'
import { inFlight } from './surroundings.ts'

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

const isOfPart = ({ aspect }: Finding): boolean => ['body', 'header', 'member'].includes(aspect)

/** Another body altogether, as a proxy sends it, has none of what the service adds. */
const hasOtherBody = ({ aspect, name }: Finding): boolean => aspect === 'body' && name === undefined

/**
 * A response with a wrong status is another response: all else that is wrong with it follows. That
 * pets are missing explains no other ones.
 */
const isOtherResponse = ({ aspect }: Finding): boolean =>
  ['status', 'silence', 'behaviour'].includes(aspect)

/** What shows in requests with others follows from what the same responses show in themselves. */
const isOfMixture = ({ aspect, kind }: Finding): boolean =>
  aspect === 'behaviour' && kind === 'unlike alone'

const memberOf = ({ aspect, name }: Finding): string | undefined =>
  aspect === 'member' || aspect === 'body' ? name : undefined

/** Whether all that is wrong with a response may follow from what a host is about. */
const mayHost = (host: readonly Finding[], guest: readonly Finding[]): boolean =>
  host.some(isOtherResponse) ||
  (host.some(hasOtherBody) && guest.every(isOfPart)) ||
  // One value that is wrong in two ways.
  guest.every((one) => host.some((each) => memberOf(each) && memberOf(each) === memberOf(one)))

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
    // What began at some time is shown from then on.
    first?.date === undefined ? Number.POSITIVE_INFINITY : Math.min(...first.exchanges),
    Number(first?.chance !== undefined && first.aspect !== 'status'),
    ...[Number(shown?.together !== undefined), Number(isDerived)],
    ...[-share, lengthOf(expected) + lengthOf(actual)],
  ]
}

/** Compares by the first number that differs, the lower first. */
export const byRanks = (a: readonly number[], b: readonly number[]): number =>
  a.map((rank, at) => rank - (b[at] ?? 0)).find(Boolean) ?? 0

const isBreak = (one: Finding): boolean => breakingOf(one).length > 0

/** What each is about. */
const firstsOf = (results: readonly CheckResult[]): readonly Finding[] =>
  results.flatMap(({ findings = [] }) => findings.slice(0, 1))

/** Failures that share a text, with each other or with others of their group. */
const joinByKeys = (results: readonly Failure[]): readonly Group[] => {
  const firsts = firstsOf(results)
  // Where a plain request breaks the server, no condition of others matters.
  const plain = new Set(firsts.filter(isPlain).flatMap(breakingOf))
  let groups: readonly { readonly all: Group; readonly keys: ReadonlySet<string> }[] = []
  for (const result of results) {
    const breaking = (result.findings ?? []).slice(0, 1).flatMap(breakingOf)
    const own = [...keysOf(result), ...breaking.filter((key) => plain.has(key))]
    // A should adds nothing to a must; a valid key that is refused at some requests is at others,
    // and so is what comes after one step.
    const isOfAny = (key: string) => /^(?:refused|chance|after)\|/.test(key)
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

/** What laws of one count find where there are several, or one for several keys. */
const ofCounts: Readonly<Partial<Record<string, readonly Finding['kind'][]>>> = {
  'counted apart': ['too many served', 'refilled too soon', 'does not fall', 'moves back'],
  'one count for two keys': ['falls by more than one', 'does not rise after its Reset', 'too low'],
}

/** Whether the calls of keys that a guest is about are counted as the host shows. */
const isOfCount = (host: readonly Finding[], guest: readonly Finding[]): boolean => {
  const explained = host.flatMap(({ kind }) => ofCounts[`${kind}`] ?? [])
  const isOfShared = host.some(({ kind }) => kind === 'one count for two keys')
  // A law of what remains, or of what is refused, names no kind.
  const isExplained = ({ keys, kind, status }: Finding) =>
    keys !== undefined &&
    (kind === undefined ? status === 429 || !isOfShared : explained.includes(kind))
  return explained.length > 0 && guest.every(isExplained)
}

const textOf = ({ status, due, operations }: Finding): string => [status, due, operations].join('|')

/** What nothing isolates is no fault of its own where something isolates the same status. */
const isOpenLike = (host: readonly Finding[], guest: readonly Finding[]): boolean => {
  const isOwn = ({ aspect, status }: Finding) => aspect === 'status' && !isBroken(status)
  const known = new Set(host.filter((one) => isOwn(one) && !one.isOpen).map(textOf))
  return guest.every((one) => isOwn(one) && one.isOpen && known.has(textOf(one)))
}

/** Where pets are lost for what happened to them, plain requests that miss them follow. */
const isOfLostPets = (host: readonly Finding[], guest: readonly Finding[]): boolean => {
  const lost = host.filter(({ conditions }) => conditions.some(({ about }) => about === 'pet'))
  const known = new Set(lost.map(textOf))
  // From some time on they are lost for what happened before.
  const isBare = ({ aspect, conditions, after, chance }: Finding) =>
    aspect === 'status' && conditions.length === 0 && (after ?? chance) === undefined
  return guest.every((one) => isBare(one) && known.has(textOf(one)))
}

const firstSeq = (all: readonly Finding[]): number =>
  Math.min(...all.flatMap(({ exchanges }) => exchanges))

/** What was served before the server broke, and breaks since, breaks for that. */
const isOfState = (host: readonly Finding[], guest: readonly Finding[]): boolean => {
  const after = host.find(isBreak)?.after
  const isSince = (one: Finding) =>
    one.after === after || (isPlain(one) && one.dependsOnHistory && one.chance === undefined)
  const isOwn = guest.every((one) => isBreak(one) && isSince(one))
  return after !== undefined && isOwn && firstSeq(guest) > firstSeq(host)
}

/** All that is wrong with a response that the server broke at follows from that. */
const isOfBroken = ({ findings = [] }: Failure): boolean =>
  findings.slice(0, 1).every(isOfPart) &&
  findings.every(({ status }) => status !== null && isBroken(status))

/** Where some requests of an operation fail in turn, those that are in flight do as well. */
const isOfTurns = (host: readonly Finding[], guest: readonly Finding[]): boolean => {
  const isInFlight = (one: Finding) =>
    isOfMixture(one) || (one.aspect === 'status' && (one.after === inFlight || one.isOpen))
  const isHost = (one: Finding) => (each: Finding) =>
    each.aspect === 'status' &&
    each.status === one.status &&
    isInTurn(each) &&
    one.operations.every((own) => each.operations.includes(own))
  return guest.every((one) => isInFlight(one) && host.some(isHost(one)))
}

const isMust = (results: Group): boolean => results.some(({ outcome }) => outcome === 'fail')

/** Whether what the host is about created pets of each kind that the guest is about. */
const isOfPets = (guest: readonly Finding[], { listed }: Shown): boolean =>
  // The most frequent kind is what a headline is about.
  guest.every(({ creations = [] }) => creations.some((seq) => listed.has(seq)))

interface Showing {
  readonly results: Failure[]
  readonly shown: Shown
  /** What its first findings show. */
  readonly shows: Shown
}

/** Whether what a group is about follows from what the host is about. */
const follows = (group: Showing, { results, shown, shows }: Showing, broken: Shown): boolean => {
  if (isMust(group.results) && !isMust(results)) return false
  const [host, guest] = [firstsOf(results), firstsOf(group.results)]
  const isOfBreak = host.some(isBreak) && group.results.every(isOfBroken)
  return (
    (mayHost(host, guest) && isWithin(group.shown, shows)) ||
    (guest.every(isOfMixture) && isWithin(group.shown, shown)) ||
    isOpenLike(host, guest) ||
    isOfTurns(host, guest) ||
    isOfLostPets(host, guest) ||
    isOfCount(host, guest) ||
    isOfState(host, guest) ||
    (isOfBreak && isWithin(group.shown, broken)) ||
    isOfPets(guest, shown)
  )
}

/** Joins failures whose every exchange is one of a group that explains them. */
const attach = (groups: readonly Group[]): Failure[][] => {
  const all = groups.map((results) => ({
    // What explains comes before what follows.
    results: results.toSorted((a, b) => byRanks(ranksOf(a), ranksOf(b))),
    shown: shownBy(results),
    shows: shownBy(results, true),
  }))
  const broken = shownBy(groups.flat().filter((each) => firstsOf([each]).some(isBreak)))
  const attached = new Set<Showing>()
  for (const group of all) {
    if (!group.results.every(({ findings = [] }) => findings.length > 0)) continue
    const others = all.filter((each) => each !== group && !attached.has(each))
    const host = others.find((each) => follows(group, each, broken))
    if (!host) continue
    host.results.push(...group.results)
    attached.add(group)
  }
  return all.filter((each) => !attached.has(each)).map(({ results }) => results)
}

/** @param failed checks that failed or warned */
export const groupByEvidence = (failed: readonly Failure[]): readonly Group[] =>
  attach(joinByKeys(failed))
