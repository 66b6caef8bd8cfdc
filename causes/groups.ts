// Which failures are one observation: grouped by their evidence, not by what often fails together.

import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { isShape, noJson } from '../history/value-kinds.ts'
import { type Feature, featureOf, readFeatures } from './features.ts'

/** Whether a check is a walk: what it meets depends on the seed. */
export const isDrawn = (id: string): boolean => id.startsWith('walk-')

/** Changes that one line of code makes to any member. */
const isOfAnyMember = (change: string): boolean =>
  !/^(?:missing|null|another value|no such value|repeated|as sent|not of the filter)$/.test(change)

/** Statuses by which a key is refused, or the number of its calls, whatever was requested. */
export const refusalsOfKeys: readonly string[] = ['401', '403', '429']

const otherTexts = ['blank', 'with space around it', 'in another letter case']

/** What several kinds of value are kinds of. */
const rootOf = (kind: string): string => {
  if (isShape(kind)) return 'type'
  return otherTexts.includes(kind) ? 'no such value' : kind
}

const keysOfStatus = ({ operations, conditions, says, status, due }: Feature) => {
  const isOfKey = says !== '' || conditions.some((each) => each.startsWith('key '))
  if (refusalsOfKeys.includes(status) && !isOfKey) return [`refused|${status}`]
  const isBroken = due === ''
  const base = ['status', status, due].join('|')
  const own = [base, ...operations].join('|')
  if (says !== '') return [`${base}|${says}`, `${own}|invalid key`]
  if (conditions.length === 0) return [own]
  return conditions.flatMap((condition) => {
    const [about = '', ...kind] = condition.split(' ')
    if (about === 'key') return [`${own}|invalid key`, `${base}|${condition}`]
    // Each request that breaks a server may do so in its own way.
    const change = rootOf(kind.join(' '))
    if (isBroken) return [`${own}|${about} ${change}`]
    // What accepts one invalid value of a member, or one kind of value, may accept others.
    return [`${own}|${about}`, `${own}|:${change}`]
  })
}

const fewOrMany = (kind: string): string => (/few|missing|none|repeated/.test(kind) ? 'few' : kind)

/** An error has a member `status`, as a pet has. */
const sideOf = (status: string): string => (status >= '400' ? 'error' : 'pet')

const keysOfMember = ({ name, kind, status, operations }: Feature): readonly string[] => {
  if (name === '') return operations.map((each) => ['body', each, status].join('|'))
  const change = kind.replace(/^(normalized) to .*/, '$1')
  const side = sideOf(status)
  return [
    [side, name, change].join('|'),
    ...(isOfAnyMember(change) ? [[side, change].join('|')] : []),
    ...(change === 'missing' ? operations.map((each) => [side, each, change].join('|')) : []),
  ]
}

/** Texts that two findings share where they are one observation. */
const keysOf = (feature: Feature): readonly string[] => {
  const { aspect, name, kind, status, operations, says } = feature
  switch (aspect) {
    case 'status':
    case 'silence':
      return keysOfStatus(feature)
    case 'header': {
      const isOfLimits = kind === 'missing' && name.startsWith('X-RateLimit-')
      // Several responses together may show what one header does.
      const together = kind === 'missing' ? [] : [`behaviour|${kind}`]
      return [`header|${name}|${kind}`, ...together, ...(isOfLimits ? [`limits|${status}`] : [])]
    }
    case 'body':
    case 'member':
      return keysOfMember(feature)
    case 'count':
      return [['count', ...operations, fewOrMany(kind)].join('|')]
    case 'behaviour':
      return [`behaviour|${kind || says}`]
  }
}

/** Failures that are one observation; the first one shows it. */
export type Group = readonly CheckResult[]

/** Disjoint sets of numbers. */
const createSets = (size: number) => {
  const parents = Array.from({ length: size }, (_, at) => at)
  const rootOf = (at: number): number => {
    let root = at
    while (parents[root] !== root) root = parents[root] ?? root
    return root
  }
  const join = (one: number, other: number): void => {
    parents[rootOf(other)] = rootOf(one)
  }
  return { rootOf, join }
}

/** The exchanges that show failures. */
interface Shown {
  readonly listed: ReadonlySet<number>
  /** How many there are, at least. */
  readonly times: number
  /** The last one of a kind of which later ones are not listed; infinite if all are. */
  readonly cutAt: number
}

/** Whether a later finding of a check is like its first one: other kinds show other faults. */
const isLikeFirst = (one: Finding, first: Finding): boolean =>
  one === first ||
  (one.aspect === first.aspect && featureKey(featureOf(one)) === featureKey(featureOf(first)))

const featureKey = ({ aspect, name, kind, status, conditions }: Feature): string =>
  aspect === 'status' ? [status, ...conditions].join('|') : [name, kind].join('|')

/** @param isHost whether only what its first findings show matters */
const shownBy = (results: readonly CheckResult[], isHost = false): Shown => {
  const findings = results.flatMap(({ findings: [first, ...others] = [] }) => {
    if (!first) return []
    return [first, ...others.filter((each) => !isHost || isLikeFirst(each, first))]
  })
  const listed = new Set(findings.flatMap(({ exchanges }) => exchanges))
  const cut = findings.filter(({ times, exchanges }) => exchanges.length < times)
  return {
    listed,
    times: Math.max(listed.size, ...findings.map(({ times }) => times)),
    cutAt: Math.min(...cut.map(({ exchanges }) => Math.max(...exchanges))),
  }
}

/** So many that two failures share stand for those that are not listed. */
const minCommon = 10

/** Whether each exchange of the guest is one of the host, as far as they are listed. */
const isWithin = (guest: Shown, host: Shown): boolean => {
  if (guest.times > host.times) return false
  const others = [...guest.listed].filter((seq) => !host.listed.has(seq))
  if (others.length === 0 && guest.cutAt === Number.POSITIVE_INFINITY) return true
  const common = guest.listed.size - others.length
  return common >= minCommon && others.every((seq) => seq > host.cutAt)
}

/** A page or a text, as a proxy or a container sends it, has none of what the service adds. */
const isForeign = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'body' && first.kind === noJson

const isOfPart = ({ findings: [first] = [] }: CheckResult): boolean =>
  ['body', 'header', 'member'].includes(first?.aspect ?? '')

const isOfBody = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'body' || first?.aspect === 'member' || first?.name === 'Content-Type'

/** A response with another body altogether: what is wrong with its members follows. */
const hasOtherBody = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'body' && first.name === undefined

/** A response with a wrong status is another response: all else that is wrong with it follows. */
const isOtherResponse = ({ findings: [first] = [] }: CheckResult): boolean =>
  !['body', 'header', 'member', undefined].includes(first?.aspect)

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

const mayHost = (host: readonly CheckResult[], guest: readonly CheckResult[]): boolean =>
  host.some(isOtherResponse) ||
  (host.some(hasOtherBody) && guest.every(isOfBody)) ||
  (host.some(isForeign) && guest.every(isOfPart)) ||
  guest.every(isOfMixture) ||
  isOfMember(host, guest)

/** Whether each shows a pet that differs from its 201, and the 201 itself is what is wrong. */
const isMadeBy = (
  guest: readonly CheckResult[],
  host: readonly CheckResult[],
  { listed }: Shown,
): boolean =>
  host.every(isOfBody) &&
  guest.every(
    ({ findings: [first] = [], evidence }) =>
      first?.aspect === 'member' &&
      evidence
        .slice(0, -1)
        .some(({ seq, request }) => request.method === 'POST' && listed.has(seq)),
  )

/** The rarer and the more direct, the better it shows what is wrong. */
const directFirst = (a: CheckResult, b: CheckResult): number => {
  const isShould = ({ outcome }: CheckResult) => Number(outcome !== 'fail')
  const isDerived = ({ id, evidence }: CheckResult) => Number(evidence.at(-1)?.check !== id)
  // What a walk violates says little of what is wrong: its requirement is a wide one.
  const isWalk = ({ id }: CheckResult) => Number(isDrawn(id))
  const length = ({ expected = '', actual = '' }: CheckResult) => expected.length + actual.length
  return (
    isShould(a) - isShould(b) ||
    isWalk(a) - isWalk(b) ||
    isDerived(a) - isDerived(b) ||
    length(a) - length(b)
  )
}

/** A request that breaks the server, of whatever kind: `broken|GET /pets|500`. */
const breakingOf = ({ aspect, operations, status, due }: Feature): readonly string[] => {
  const isBroken = aspect === 'silence' || (aspect === 'status' && due === '')
  return isBroken ? [['broken', ...operations, status].join('|')] : []
}

const isPlain = ({ conditions, says }: Feature): boolean => conditions.length === 0 && says === ''

const joinByKeys = (results: readonly CheckResult[]) => {
  const sets = createSets(results.length)
  const firsts = new Map<string, number>()
  const features = results.map((result) => readFeatures(result)[0])
  // Where a plain request breaks the server, no condition of others matters.
  const plain = new Set(features.flatMap((one) => (one && isPlain(one) ? breakingOf(one) : [])))
  for (const [at, first] of features.entries()) {
    const breaking = first ? breakingOf(first).filter((key) => plain.has(key)) : []
    // A should adds nothing to a must.
    const level = results[at]?.outcome
    for (const own of first ? [...keysOf(first), ...breaking] : []) {
      const key = `${level}|${own}`
      const other = firsts.get(key)
      if (other === undefined) firsts.set(key, at)
      else sets.join(other, at)
    }
  }
  return Map.groupBy(results, (_result, at) => sets.rootOf(at))
}

/** Whether what the host is about created pets of each kind that the guest is about. */
const isOfPetsFrom = (guest: readonly CheckResult[], host: Shown): boolean => {
  // The most frequent kind is what a headline is about.
  const findings = guest.flatMap(({ findings = [] }) => findings.slice(0, 1))
  const isFrom = ({ creations = [] }: Finding) => creations.some((seq) => host.listed.has(seq))
  return findings.length > 0 && findings.every(isFrom)
}

/** All that is wrong with a response that the server broke at follows from that. */
const isOfBroken = (results: readonly CheckResult[]): boolean =>
  results.every(isOfPart) &&
  results.every(({ findings = [] }) => findings.every(({ status }) => (status ?? 0) >= 500))

const isMust = (results: readonly CheckResult[]): boolean =>
  results.some(({ outcome }) => outcome === 'fail')

const isCreation = ({ findings: [first] = [] }: CheckResult): boolean =>
  first?.aspect === 'status' && (first.status ?? 0) < 300

/** Joins failures whose every exchange is one of a group that explains them. */
const attach = (groups: readonly (readonly CheckResult[])[]): CheckResult[][] => {
  const all = groups.map((results) => ({
    // What explains comes before what follows.
    results: results.toSorted(directFirst),
    isKnown: results.every(({ findings = [] }) => findings.length > 0),
    shown: shownBy(results),
    shows: shownBy(results, true),
  }))
  const attached = new Set<(typeof all)[number]>()
  for (const group of all) {
    if (!group.isKnown) continue
    const others = all.filter((each) => each !== group && !attached.has(each))
    const host =
      others.find((each) => isMadeBy(group.results, each.results, each.shown)) ??
      others.find(
        ({ results, shown, shows }) =>
          (isMust(results) || !isMust(group.results)) &&
          ((mayHost(results, group.results) &&
            isWithin(group.shown, isOfBroken(group.results) ? shown : shows)) ||
            (results.some(isCreation) && isOfPetsFrom(group.results, shown))),
      )
    if (!host) continue
    host.results.push(...group.results)
    attached.add(group)
  }
  return all.filter((each) => !attached.has(each)).map(({ results }) => results)
}

/** @param failed checks that failed or warned */
export const groupByEvidence = (failed: readonly CheckResult[]): readonly Group[] =>
  attach([...joinByKeys(failed).values()])
