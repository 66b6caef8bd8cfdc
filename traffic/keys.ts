// The keys of recorded traffic: distinguished by their bearer token, and never written.
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { type LabelledKey, labelKeys } from '../engine/run/run-options.ts'
import { type ApiRequest, type Exchange, isSuccess, keptIn } from '../history/exchange.ts'
import { count, unique } from '../history/quote.ts'
import { wholeNumber } from '../history/rate-headers.ts'
import { type Plan, plans, type Quota } from '../spec/plans.ts'
import type { Recorded } from './har.ts'

/** What exporters put in place of a key. */
const redacted = /redacted|hidden|removed|filtered|masked|\*{3}|\u2022{3}|x{6}/i
const bearer = /^\s*bearer[ \t]+([\w.~+/-]+=*|\$\w+|\$\{\w+\})\s*$/i

/** What is written is searched for each key, so requests with further ones are left out. */
const maxKeys = 200

export const credentialsOf = ({ request }: Recorded): readonly string[] =>
  unique(
    request.headers.filter(([name]) => /^authorization$/i.test(name)).map(([, value]) => value),
  )

const isRedacted = (one: Recorded): boolean =>
  credentialsOf(one).some((value) => redacted.test(value))

/** Words of one letter case are no keys, and reports are full of them. */
const isWord = (text: string): boolean => /^(?:.{0,5}|[a-z]{0,12})$/i.test(text)

const tokenIn = (one: Recorded) => {
  const [value = '', ...more] = credentialsOf(one)
  const [, text] = bearer.exec(value) ?? []
  // petvet says itself which of the values that it sent are valid keys.
  if (text === undefined || more.length > 0 || one.key === null || isRedacted(one)) return undefined
  // The keys of two runs have equal names.
  return { text, identity: one.key === undefined ? text : `${one.file} ${text}` }
}

/** A key that was found: its own label where petvet recorded it, else the limits that were seen. */
interface Found {
  readonly identity: string
  readonly text: string
  readonly label: string | undefined
  readonly limits: Set<number>
  isServed: boolean
}

/** The plan whose numbers the responses to a key have: what was not seen is not known. */
const planFor = ({ label, limits }: Found): Pick<KeyOption, 'plan' | 'quota'> | undefined => {
  const named = Object.entries(plans) as [Plan, Quota][]
  const [found, ...others] = named.filter(([plan, { perMinute, perDay }]) =>
    label === undefined
      ? [...limits].every((limit) => limit === perMinute || limit === perDay)
      : plan === label.replace(/-\d+$/, ''),
  )
  if (!found || others.length > 0) return undefined
  const [plan, quota] = found
  if (label !== undefined) return { plan, quota }
  const perDay = limits.has(quota.perDay) ? quota.perDay : Number.POSITIVE_INFINITY
  return limits.has(quota.perMinute) ? { plan, quota: { ...quota, perDay } } : undefined
}

/** The key of a request. */
export interface KeyOf {
  /** null: it has none, or something else in place of one. */
  readonly key: string | null
  readonly ofExchange?: Pick<Exchange, 'quota' | 'quotaIsSaid'> | undefined
  readonly ofRequest?: Pick<ApiRequest, 'says' | 'carries'>
  /** Whether it is a key is not known: it was redacted, or never served. */
  readonly isHidden?: boolean
}

export interface Keys {
  /** Those whose plan is known. */
  readonly labelled: readonly LabelledKey[]
  readonly of: (one: Recorded, at: number) => KeyOf
  /** Whether it has one key too many. */
  readonly isLeftOut: (one: Recorded) => boolean
  /** Credentials that no report may have, besides the keys whose plan is known. */
  readonly secrets: readonly string[]
  /** What is to be said of them. */
  readonly notes: readonly string[]
}

const neverServed = 'with a key that was never served'

const saysNothing =
  'no request has Authorization, so nothing is known of keys: ' +
  'Chromium exports it with "Export HAR (with sensitive data)"'

/** What is known of keys once all traffic was read: finds them, and everything that may be one. */
export class KeySurvey {
  readonly #given: readonly KeyOption[]
  readonly #texts: ReadonlySet<string>
  readonly #found = new Map<string, Found>()
  readonly #valid = new Set<string>()
  /** Credentials of others. */
  readonly #others = new Set<string>()
  #redacted = 0
  #isSilent = true

  /** @param given keys by plan, as the command line names them */
  constructor(given: readonly KeyOption[]) {
    this.#given = given
    this.#texts = new Set(given.map(({ key }) => key))
  }

  /** Everything that may be a key, or was made of one. */
  #wordsOf(one: Recorded): readonly string[] {
    return (one.key === undefined ? credentialsOf(one) : [])
      .flatMap((value) => value.split(/[\s,"]+/))
      .filter((word) => this.#valid.has(word) || !isWord(word))
  }

  readonly isLeftOut = (one: Recorded): boolean =>
    this.#wordsOf(one).some((word) => !this.#others.has(word) && !this.#texts.has(word))

  add(one: Recorded): void {
    const token = tokenIn(one)
    this.#isSilent &&= credentialsOf(one).length === 0
    if (isRedacted(one)) this.#redacted += 1
    if (token && isSuccess(one)) this.#valid.add(token.text)
    for (const word of this.#wordsOf(one)) {
      if (this.#others.size < maxKeys && !this.#texts.has(word)) this.#others.add(word)
    }
    // What gets 401 each time is no key, unless it is known to be one.
    const isKey =
      one.key !== undefined || one.response?.status !== 401 || this.#texts.has(token?.text ?? '')
    if (!token || !isKey || this.isLeftOut(one)) return
    const known = keptIn(this.#found, token.identity, () => {
      return { ...token, label: one.key ?? undefined, limits: new Set(), isServed: false }
    })
    if (!isSuccess(one)) return
    known.isServed = true
    const limit = wholeNumber(one, 'x-ratelimit-limit')
    if (limit !== undefined) known.limits.add(limit)
  }

  keys(): Keys {
    const { isLeftOut } = this
    const labels = labelsOf([...this.#found.values()], this.#given)
    return {
      ...{ labelled: labels.labelled, isLeftOut, secrets: [...this.#others] },
      of: keyReader(labels, this.#texts, this.#isSilent),
      notes: this.#isSilent ? [saysNothing] : notesOf(labels, this.#redacted),
    }
  }
}

/** What each key is called: by its plan, where that is known. */
const labelsOf = (tokens: readonly Found[], given: readonly KeyOption[]) => {
  const known = new Set(given.map(({ key }) => key))
  const planned = tokens.flatMap((one) => {
    const plan = known.has(one.text) ? undefined : planFor(one)
    const variable = /^\$\{?(\w+)\}?$/.exec(one.text)?.[1]
    return plan
      ? [{ ...plan, key: one.text, identity: one.identity, was: one.label, variable }]
      : []
  })
  planned.sort((a, b) => (a.was ?? '').localeCompare(b.was ?? '', 'en', { numeric: true }))
  const ofPlan = labelKeys([...given.map((key) => ({ ...key, identity: key.key })), ...planned])
  const named = new Map<string, { label: string; quota?: Quota; isServed?: boolean }>(
    ofPlan.map((key) => [key.identity, key]),
  )
  const others = tokens.filter(({ identity }) => !named.has(identity))
  for (const [at, { identity, label = `key-${at + 1}`, isServed }] of others.entries()) {
    named.set(identity, { label, isServed })
  }
  const sent = new Set(tokens.map(({ identity }) => identity))
  const unsent = ofPlan.flatMap(({ identity, label }) => (sent.has(identity) ? [] : label))
  return { tokens, named, labelled: ofPlan, unknown: others.length, unsent }
}

type Labels = ReturnType<typeof labelsOf>

const keyReader = (
  { tokens, named }: Labels,
  known: ReadonlySet<string>,
  isSilent: boolean,
): Keys['of'] => {
  /** Of several fields one may have a valid key, and which of them counts is open. */
  const carriedBy = (values: readonly string[]): Pick<ApiRequest, 'carries'> => {
    const texts = values.length < 2 ? [] : values.map((value) => bearer.exec(value)?.[1])
    const found = tokens.find(({ text }) => texts.includes(text))
    const { label } = named.get(found?.identity ?? '') ?? {}
    return label === undefined ? {} : { carries: label }
  }
  return (one, at) => {
    // Whose key it was is not known: what another request shows says nothing of this one.
    if (isSilent || isRedacted(one)) return { key: `any-${at}`, isHidden: true }
    const token = tokenIn(one)
    if (!token) return { key: null, ofRequest: carriedBy(credentialsOf(one)) }
    const { label, quota, isServed } = named.get(token.identity) ?? {}
    if (label === undefined) return { key: null, ofRequest: { says: neverServed } }
    const isOwn = one.key !== undefined
    // Else its responses alone say what its quota is.
    const isSaid = !isOwn && !known.has(token.text) && { quotaIsSaid: true as const }
    const ofExchange = quota && { quota, ...isSaid }
    return { key: label, ...{ ofExchange, isHidden: !isOwn && isServed === false } }
  }
}

const notesOf = ({ named, unknown, unsent }: Labels, redacted: number): readonly string[] => {
  const labels = [...named.values()].map(({ label }) => label)
  const names = unique(labels.filter((label) => !unsent.includes(label)))
  const more = unknown > 0 ? `; ${unknown} of them of an unknown plan (--key)` : ''
  return [
    names.length > 0 &&
      `${count(names.length, 'key', 'keys')}: ${names.slice(0, 10).join(', ')}${more}`,
    unsent.length > 0 && `no request has the key of --key that is named ${unsent.join(', ')}`,
    redacted > 0 && `${count(redacted, 'request has', 'requests have')} a redacted key`,
  ].filter((line) => line !== false)
}
