// The fault dictionary: which checks fail at each mutant, and what they observe there, as far as it
// does not depend on the data of one server: by it failures are compared. It is read from the kill
// table, which `proof/` makes. And where such faults usually come from, and how they are fixed.

import { readFileSync } from 'node:fs'
import type { CheckResult, Finding } from '../engine/check/run-file.ts'
import type { RequirementId } from '../spec/requirements.ts'

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
      .replace(/\(minimal failing input:.*$/s, '')
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
    conditions: finding.conditions.map(({ about, kind: its }) => `${about} ${its}`).sort(),
    due: isStatus && !isBroken ? dueOf(expected) : '',
    says: aspect === 'behaviour' ? `${wordsOf(expected)}: ${wordsOf(actual)}` : (situation ?? ''),
  }
}

/** Which parts are compared with those at a known fault: the others depend on what was sent. */
const compared: Readonly<Record<Finding['aspect'], readonly (keyof Feature)[]>> = {
  status: ['status', 'operations', 'conditions', 'due', 'says'],
  silence: ['operations', 'conditions'],
  header: ['name', 'kind', 'status', 'operations'],
  body: ['name', 'kind', 'status', 'operations'],
  member: ['name', 'kind', 'operations'],
  count: ['kind', 'operations'],
  behaviour: ['kind', 'status', 'operations', 'says'],
}

/** As the dictionary has it: `status|status 201|operations POST /pets|...` */
const printFeature = (feature: Feature): string =>
  [
    feature.aspect,
    ...compared[feature.aspect].map((part) => `${part} ${[feature[part]].flat().join(', ')}`),
  ].join('|')

const none: Feature = {
  aspect: 'behaviour',
  status: '-',
  name: '',
  kind: '',
  operations: [],
  conditions: [],
  due: '',
  says: '',
}

/** What a failed check observed, the most frequent first; its text if it has no findings. */
export const readFeatures = ({ findings = [], detail }: CheckResult): readonly Feature[] =>
  findings.length === 0 ? [{ ...none, says: wordsOf(detail) }] : findings.map(featureOf)

/** What a failed check observes at a mutant: the texts of its features, in alphabetical order. */
export type Features = readonly string[]

/** What a run under one condition finds at one mutant: each check that fails, with its features. */
type Signature = ReadonlyMap<string, Features>

/** In which share of the responses that it judged a check saw the fault. */
export type Shares = Readonly<Record<string, number>>

export interface Entry {
  /** The mutants with these signatures: more than one where no check separates them. */
  readonly mutants: readonly string[]
  /** The fault of each mutant, in the words of an implementer. */
  readonly faults: readonly string[]
  /** The check that is there to find the first mutant. */
  readonly caughtBy: string
  /** With keys of all plans and a test clock; and with one Free key and without a clock. */
  readonly full: Signature
  readonly plain: Signature
  readonly shares: Shares
}

export type Dictionary = readonly Entry[]

/** A signature as it is stored: the features of each check. */
export type SignatureText = Readonly<Record<string, Features>>

/** What is stored of a mutant in the kill table; of other subjects it has no signatures. */
export interface MutantLine {
  readonly id: string
  readonly kind: 'mutant'
  readonly says: string
  readonly caughtBy: string
  readonly requirement: RequirementId
  readonly full: SignatureText
  readonly plain: SignatureText
  /** Of the checks in `full` that judge many responses. */
  readonly shares?: Shares
}

export const printFeatures = (result: CheckResult): Features =>
  [...new Set(readFeatures(result).map(printFeature))].sort()

/** What a walk meets of a fault depends on the seed. */
export const isDrawn = (id: string): boolean => id.startsWith('walk-')

/** So few responses say nothing about a share. */
const minJudged = 20

/** How many responses show a failure, of how many; undefined if few were judged, or by chance. */
export const shareOf = ({ id, findings = [] }: CheckResult) => {
  if (isDrawn(id)) return undefined
  const judged = Math.max(0, ...findings.map((each) => each.judged))
  const times = findings.reduce((sum, each) => sum + each.times, 0)
  return judged < minJudged ? undefined : { times, judged }
}

/** @returns the entries of the mutants in the kill table, one for all that no check separates */
const dictionaryFrom = (lines: readonly (MutantLine | object)[]): Dictionary => {
  const found = lines
    .filter((line) => 'full' in line)
    .filter(({ full, plain }) => Object.keys({ ...full, ...plain }).length > 0)
  const alike = Map.groupBy(found, ({ full, plain }) => JSON.stringify([full, plain]))
  return [...alike.values()].flatMap((all) =>
    all.slice(0, 1).map(({ caughtBy, full, plain, shares = {} }) => ({
      mutants: all.map(({ id }) => id),
      faults: all.map(({ says }) => says),
      caughtBy,
      full: new Map(Object.entries(full)),
      plain: new Map(Object.entries(plain)),
      shares,
    })),
  )
}

let known: Dictionary | undefined

/** The dictionary that is shipped, read when it is needed for the first time. */
export const dictionary = (): Dictionary => {
  known ??= dictionaryFrom(
    JSON.parse(readFileSync(new URL('kill-table.json', import.meta.url), 'utf8')),
  )
  return known
}

/** By the beginning of the requirement's id, origin and fix; the longest that matches counts. */
const rows: Readonly<Record<string, readonly [origin: string, fix: string]>> = {
  '': [
    'A default of the framework or proxy that differs from the interface.',
    'Compare the response with the requirement, and override the default for this operation.',
  ],
  auth: [
    'Authentication as middleware of single routes, or a comparison of prefixes or hashes.',
    'Check the whole token once, in front of all routes, and before anything else is read.',
  ],
  'auth.first': [
    'A framework that validates parameters and bodies before it calls the handler.',
    'Run authentication as the outermost middleware.',
  ],
  'auth.per-key': [
    'A limiter whose key is the plan, the client address or a hash that collides.',
    'Count by the whole API key.',
  ],
  ban: [
    'A counter of refusals that is shared, never reset, or counts other errors too.',
    'Count the 429 responses of each key apart, and state the end of the ban in Retry-After.',
  ],
  create: [
    'A body parser that accepts more than JSON objects, or work that is done before validation.',
    'Validate the whole body strictly, then store the pet, then respond 201 with what was stored.',
  ],
  error: [
    'Error pages of the router, the parser or the proxy, and messages of exceptions.',
    'Write every error through one function: code, message and the status of the response.',
  ],
  get: [
    'A lenient conversion of the path parameter, or a cache or replica in front of the store.',
    'Parse petId as a whole decimal int64, and read the pet from where creations are written.',
  ],
  'get.deprecation-header': [
    'One of several draft forms of the header.',
    'Send `Deprecation: @` and Unix seconds, as RFC 9745 defines it.',
  ],
  'get.sunset-header': [
    'Another date format, or a month counted from 0.',
    'Send an HTTP date (RFC 9110, section 5.6.7), as RFC 8594 defines it.',
  ],
  'get.removed': [
    'The removal as a manual step, or a comparison in local time.',
    'Compare the current time with the removal date in UTC, and respond 404 or 410 from then on.',
  ],
  headers: [
    'A limiter that writes its headers only where it is called, or in a form of its own.',
    'Write all three headers in one place that every response passes, errors included.',
  ],
  'headers.reset': [
    'Seconds that remain, or milliseconds, in place of a Unix time.',
    'Send the Unix time in seconds at which the window ends, rounded up.',
  ],
  limits: [
    'A counter per process, route or connection, or one that is read and written in two steps.',
    'Count in one shared place with an atomic increment, for every authenticated call alike.',
  ],
  list: [
    'Filter and limit that are applied in the wrong order, or a cached list.',
    'Filter first, then take the first `limit` pets, 20 where the query has none.',
  ],
  'list.limit.maximum': [
    'A value outside the range that is clamped or ignored.',
    'Refuse it with 400.',
  ],
  'new-pet': [
    'A validator that converts types, fills in defaults, or normalizes text.',
    'Switch conversion off, and store each member exactly as it was sent.',
  ],
  'new-pet.category': [
    'A JSON parser that reads numbers as doubles.',
    'Parse int64 exactly, and refuse what is outside its range.',
  ],
  'pet.id': [
    'Ids that are made from time, randomness or text.',
    'Let the store count ids upwards, and print them as JSON integers.',
  ],
  'retry-after': [
    'A constant, or the end of another window than the one that refuses.',
    'Send the whole seconds until the key is served again, rounded up, with every 429.',
  ],
  'service.no-server-error': [
    'An exception of a parser or of the store that nothing catches.',
    'Validate before the value is used, and respond with the fitting 4xx.',
  ],
  'service.own-response': [
    'State in a module variable, a pooled object or the connection.',
    'Keep everything that belongs to a request in local variables of its handler.',
  ],
}

export const adviceFor = (id: RequirementId) => {
  const matching = Object.keys(rows).filter(
    (prefix) =>
      prefix === '' || id === prefix || id.startsWith(`${prefix}.`) || id.startsWith(`${prefix}-`),
  )
  const [longest = ''] = matching.sort((a, b) => b.length - a.length)
  const [origin = '', fix = ''] = rows[longest] ?? []
  return { origin, fix }
}
