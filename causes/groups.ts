// Which failures are one observation: grouped by their evidence, not by what often fails together.

import type { CheckResult, Finding } from '../engine/check/run-file.ts'

/** Whether a check is a walk: what it meets depends on the seed. */
const isDrawn = (id: string): boolean => id.startsWith('walk-')

/** Changes that one line of code makes to any member. */
const isOfAnyMember = (change: string): boolean =>
  !/^(?:missing|null|another value|no such value|repeated|as sent|not of the filter)$/.test(change)

/** That no pet has the id is no fault of a request. */
export const isUnknownId = ({ kind }: Finding['conditions'][number]): boolean =>
  kind === 'unknown id'

/** Statuses by which a key is refused, or the number of its calls, whatever was requested. */
export const refusalsOfKeys: readonly string[] = ['401', '403', '429']

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
    // What accepts one invalid value of a member, or one kind of value, may accept others.
    const isAbout = !isBroken || about === 'body'
    if (isBroken) return [`${own}|${isAbout ? about : condition}`]
    return [`${own}|${about}`, `${own}|:${kind.join(' ')}`]
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

const shownBy = (results: readonly CheckResult[]): Shown => {
  const findings = results.flatMap((each) => each.findings ?? [])
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
    for (const key of first ? [...keysOf(first), ...breaking] : []) {
      const other = firsts.get(key)
      if (other === undefined) firsts.set(key, at)
      else sets.join(other, at)
    }
  }
  return Map.groupBy(results, (_result, at) => sets.rootOf(at))
}

/** Joins failures whose every exchange is one of a group that explains them. */
const attach = (groups: readonly (readonly CheckResult[])[]): CheckResult[][] => {
  const all = groups.map((results) => ({
    // What explains comes before what follows.
    results: results.toSorted(directFirst),
    isKnown: results.every(({ findings = [] }) => findings.length > 0),
    shown: shownBy(results),
  }))
  const attached = new Set<(typeof all)[number]>()
  for (const group of all) {
    if (!group.isKnown) continue
    const others = all.filter((each) => each !== group && !attached.has(each))
    const host =
      others.find((each) => isMadeBy(group.results, each.results, each.shown)) ??
      others
        .filter((each) => mayHost(each.results, group.results))
        .find((each) => isWithin(group.shown, each.shown))
    if (!host) continue
    host.results.push(...group.results)
    attached.add(group)
  }
  return all.filter((each) => !attached.has(each)).map(({ results }) => results)
}

/** @param failed checks that failed or warned */
export const groupByEvidence = (failed: readonly CheckResult[]): readonly Group[] =>
  attach([...joinByKeys(failed).values()])

export interface Feature {
  readonly aspect: Finding['aspect']
  /** `-` without a response. */
  readonly status: string
  readonly name: string
  readonly kind: string
  readonly operations: readonly string[]
  /** `name missing`: what of the request may matter. */
  readonly conditions: readonly string[]
  /** What was due instead of the status: `refusal`, a status, or the words of what was expected. */
  readonly due: string
  /** What the check says of its requests; or the words of what several responses show together. */
  readonly says: string
}

/** The words of a text without what a server's own data, plans and keys put there. */
const wordsOf = (text: string): string =>
  (
    text
      .replace(/; steps: .*$/s, '')
      .replace(/\{.*\}|\[.*\]/s, ' ')
      .replace(/"[^"]*"/g, ' ')
      .replace(/\b(?:free|pro|business|enterprise)(?:-\d+)?\b/gi, ' ')
      .match(/[A-Za-z][A-Za-z-]*|(?<![\d.-])[2-5]\d\d(?![\d.-])/g) ?? []
  ).join(' ')

const dueOf = (expected: string): string => {
  if (/^(?:status 40[013]|a 4xx|no 2xx|a refusal)/.test(expected)) return 'refusal'
  return /^(?:status )?(\d{3})\b/.exec(expected)?.[1] ?? wordsOf(expected)
}

/** What the interface does not name is one place. */
const placeOf = (operation: string): string =>
  /^(?:GET|POST) \/pets(?:\/\{petId\})?$/.test(operation) ? operation : 'another address'

const featureOf = (finding: Finding): Feature => {
  const { aspect, name = '', kind = '', status, situation, expected, actual } = finding
  const isBroken = status === null || status >= 500
  const isStatus = aspect === 'status' || aspect === 'silence'
  return {
    aspect,
    status: String(status ?? '-'),
    name,
    // On how many more or fewer depends on the data.
    kind: kind.replace(/^(?:one|several) too /, 'too '),
    operations: [...new Set(finding.operations.map(placeOf))].sort(),
    conditions: finding.conditions
      .filter((each) => !isUnknownId(each))
      .map(({ about, kind: its }) => `${about} ${its}`)
      .sort(),
    due: isStatus && !isBroken ? dueOf(expected) : '',
    says: aspect === 'behaviour' ? `${wordsOf(expected)}: ${wordsOf(actual)}` : (situation ?? ''),
  }
}

const none: Feature = {
  ...{ aspect: 'behaviour', status: '-', name: '', kind: '', due: '', says: '' },
  ...{ operations: [], conditions: [] },
}

/** What a failed check observed, the most frequent first; its text if it has no findings. */
const readFeatures = ({ findings = [], detail }: CheckResult): readonly Feature[] =>
  findings.length === 0 ? [{ ...none, says: wordsOf(detail) }] : findings.map(featureOf)
