// Texts that findings share where they are one observation.

import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import { unique } from '../history/quote.ts'
import { isShape } from '../history/value-kinds.ts'
import { headerKinds } from '../model/read-head.ts'
import { placeIn } from './shares.ts'

/** That no pet has the id is no fault of a request. */
const isUnknownId = ({ kind }: Finding['conditions'][number]): boolean => kind === 'unknown id'

export const isBroken = (status: number | null): boolean => status === null || status >= 500

/** Statuses by which a key is refused, or the number of its calls, whatever was requested. */
export const isRefusalOfKey = (status: number | null): boolean =>
  status === 401 || status === 403 || status === 429

/** Unlike these, one line of code makes a change to any member. */
const ofOneMember: readonly Finding['kind'][] = [
  ...(['missing', 'null', 'another value', 'no such value'] as const),
  ...(['repeated', 'as sent', 'not of the filter'] as const),
]

export const isOfAnyMember = (kind: Finding['kind']): boolean => !ofOneMember.includes(kind)

/** What was due instead of the status: to be served, that there is no such pet, or a refusal. */
const dueOf = ({ due }: Finding): string => {
  const from = due?.[0]?.[0] ?? 0
  return [200, 201, 404].includes(from) ? `${from}` : 'refusal'
}

const placesIn = ({ operations }: Finding): readonly string[] =>
  unique(operations.map(placeIn)).toSorted()

/** What of the request may matter; a state that breaks the server is another fault. */
const conditionsIn = ({ conditions, after, aspect, status }: Finding) => [
  ...conditions
    .filter((each) => !isUnknownId(each))
    .map(({ about, kind }) => [about, kind] as const)
    .sort(),
  ...(aspect === 'status' && isBroken(status) && after ? [['state', after] as const] : []),
]

/** Whether the plain request shows it: of what nothing isolates that is not known. */
export const isPlain = (finding: Finding): boolean =>
  !finding.isOpen && conditionsIn(finding).length === 0

/** A request that breaks the server, of whatever kind: `broken|GET /pets|500`. */
export const breakingOf = (finding: Finding): readonly string[] => {
  const { aspect, status } = finding
  const isBreaking = aspect === 'silence' || (aspect === 'status' && isBroken(status))
  return isBreaking ? [['broken', ...placesIn(finding), status].join('|')] : []
}

/** What several kinds of value are kinds of; a parser does not take what is deep. */
const rootOf = (kind: string): string => {
  if (isShape(kind)) return 'type'
  return kind === 'deep' ? 'no JSON' : kind
}

/** That no pet has the id is known to a request whose key is not looked at. */
const classOf = (status: number | null): string =>
  status === 404 ? '2xx' : `${status}`.replace(/..$/, 'xx')

const isKeyDue = ({ due = [] }: Finding): boolean => due.length === 1 && due[0]?.[1] === 401

/** What comes before matters to whatever is requested then. */
const stateOf = ({ status, after }: Finding): readonly string[] =>
  after === undefined || isBroken(status) ? [] : [`after|${status}|${after}`]

const keysOfStatus = (finding: Finding): readonly string[] => {
  const { status, after, date } = finding
  const conditions = conditionsIn(finding)
  const isOfKey = conditions.some(([about]) => about === 'key') || isKeyDue(finding)
  if (isRefusalOfKey(status) && !isOfKey) return [`refused|${status}`]
  // A creation is served with another status than a list; what is looked at before the key varies.
  const got = isOfKey && !isBroken(status) ? classOf(status) : status
  const base = ['status', got, isBroken(status) ? '' : dueOf(finding)].join('|')
  const own = [base, ...placesIn(finding)].join('|')
  // What changes at some time does so for each request.
  const time = date === undefined ? [] : [`at|${status}|${placesIn(finding).join()}`]
  const state = [...stateOf(finding), ...time]
  if (conditions.length === 0) return [own, ...state, ...(isOfKey ? [`${own}|invalid key`] : [])]
  return conditions.flatMap(([about, kind]) => {
    // A connection that lends a key is one fault, a key that is taken anywhere another.
    if (about === 'key' && after) return [`${base}|key ${after}`, ...stateOf(finding)]
    if (about === 'key') return [`${own}|invalid key`, `${base}|key ${kind}`]
    // Each request that breaks a server may do so in its own way.
    const change = rootOf(kind)
    if (isBroken(status)) return [`${own}|${about} ${change}`]
    // A field is looked at before the operation is known.
    if (headerKinds.includes(kind)) return [`${own}|${about}`, `field|${status}|${about}`]
    // What accepts one invalid value of a member, or one kind of value, may accept others.
    return [`${own}|${about}`, `${own}|:${change}`]
  })
}

const keysOfMember = (finding: Finding): readonly string[] => {
  const { name, kind: change = '', status } = finding
  const places = placesIn(finding)
  if (name === undefined) return places.map((each) => ['body', each, status].join('|'))
  // An error has a member `status`, as a pet has.
  const side = (status ?? 0) >= 400 ? 'error' : 'pet'
  return [
    [side, name, change].join('|'),
    ...(isOfAnyMember(finding.kind) ? [[side, change].join('|')] : []),
    ...(change === 'missing' ? places.map((each) => [side, each, change].join('|')) : []),
  ]
}

/** What a GET by id does not show lists may lack too; a cached list may be wrong in two ways. */
const keysOfCommon = ({ conditions, isRepeat }: Finding): readonly string[] => [
  ...conditions.flatMap(({ about, kind }) => (about === 'pet' ? [`pets|${kind}`] : [])),
  ...(isRepeat ? ['repeats'] : []),
]

const keysOfFinding = (finding: Finding, id: string): readonly string[] => {
  const { aspect, name = '', kind = '', status, chance, keys, after } = finding
  // Where calls are missed all laws of their count may be broken.
  if (keys && after) {
    return [`calls ${after}`, ...(isRefusalOfKey(status) ? [`refused|${status}`] : [])]
  }
  const isOfState = after !== undefined && isBroken(status)
  if (chance !== undefined && !isOfState) {
    const own = [status, ...placesIn(finding), ...conditionsIn(finding)].join('|')
    return [['chance', status, chance].join('|'), `chance|${own}`]
  }
  switch (aspect) {
    case 'status':
    case 'silence':
      return keysOfStatus(finding)
    case 'header': {
      const isOfLimits = kind === 'missing' && name.startsWith('X-RateLimit-')
      // Several responses together may show what one header does.
      const together = kind === 'missing' ? [] : [`behaviour|${kind}`]
      return [`header|${name}|${kind}`, ...together, ...(isOfLimits ? [`limits|${status}`] : [])]
    }
    case 'body':
    case 'member':
      return keysOfMember(finding)
    case 'count':
      return [['count', ...placesIn(finding), kind].join('|')]
    case 'behaviour':
      return [`behaviour|${kind || name || id}`, ...stateOf(finding)]
  }
}

/** By what a check found first; one without findings is by itself. */
export const keysOf = ({ id, findings = [] }: CheckResult): readonly string[] => {
  const [first] = findings
  if (!first) return [id]
  // A body that is not read is so wherever it is sent.
  const isOfBody = ({ aspect, name }: Finding) => aspect === 'body' && name === undefined
  const own = isOfBody(first) ? findings.filter(isOfBody) : [first]
  return own.flatMap((each) => [...keysOfFinding(each, id), ...keysOfCommon(each)])
}

/** Whether a later finding of a check is like its first one: other kinds show other faults. */
export const isLikeFirst = (one: Finding, first: Finding): boolean =>
  one.aspect === first.aspect &&
  (first.aspect === 'status'
    ? one.status === first.status && conditionsIn(one).join() === conditionsIn(first).join()
    : one.name === first.name && one.kind === first.kind)
