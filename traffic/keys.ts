// The keys of recorded traffic: distinguished by their bearer token, and never written.
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { type LabelledKey, labelKeys, type RunOptions } from '../engine/run/run-options.ts'
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

/** A key that was found. */
interface Found {
  readonly identity: string
  readonly text: string
  /** Its own label where petvet recorded it, until it is named. */
  label: string | undefined
  /** Where its plan is known. */
  quota?: Quota
  /** The limits that were seen. */
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
interface KeyOf {
  /** null: it has none, or something else in place of one. */
  readonly key: string | null
  readonly ofExchange?: Pick<Exchange, 'quota' | 'quotaIsSaid'> | undefined
  readonly ofRequest?: Pick<ApiRequest, 'says' | 'carries'>
  /** Whether it is a key is not known: it was redacted, or never served. */
  readonly isHidden?: boolean
}

const saysNothing =
  'no request has Authorization, so nothing is known of keys: ' +
  'Chromium exports it with "Export HAR (with sensitive data)"'

/** Finds the keys of all traffic, and everything that may be one, before any of it is judged. */
export class Keys {
  /** Those whose plan is known. */
  labelled: readonly LabelledKey[] = []
  /** What is to be said of them. */
  notes: readonly string[] = []
  readonly #given: readonly KeyOption[]
  readonly #texts: ReadonlySet<string>
  readonly #found = new Map<string, Found>()
  readonly #valid = new Set<string>()
  /** Credentials of others. */
  readonly #others = new Set<string>()
  #redacted = 0
  #hidden = 0
  #isSilent = true

  /** @param given keys by plan, as the command line names them */
  constructor(given: readonly KeyOption[]) {
    this.#given = given
    this.#texts = new Set(given.map(({ key }) => key))
  }

  /** Credentials that no report may have, besides the keys whose plan is known. */
  get secrets(): RunOptions['secrets'] {
    return [...this.#others].map((text, at) => ({ text, name: `KEY_${at + 1}` }))
  }

  /** Everything that may be a key, or was made of one. */
  #wordsOf(one: Recorded): readonly string[] {
    return (one.key === undefined ? credentialsOf(one) : [])
      .flatMap((value) => value.split(/[\s,"]+/))
      .filter((word) => !this.#texts.has(word) && (this.#valid.has(word) || !isWord(word)))
  }

  /** Whether it has one key too many. */
  readonly isLeftOut = (one: Recorded): boolean =>
    this.#wordsOf(one).some((word) => !this.#others.has(word))

  add(one: Recorded): void {
    const token = tokenIn(one)
    this.#isSilent &&= credentialsOf(one).length === 0
    if (isRedacted(one)) this.#redacted += 1
    if (token && isSuccess(one)) this.#valid.add(token.text)
    for (const word of this.#wordsOf(one)) {
      if (this.#others.size < maxKeys) this.#others.add(word)
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

  /** To be called once all were added: each is named by its plan, where that is known. */
  name(): void {
    const planned = [...this.#found.values()].flatMap((one) => {
      const plan = this.#texts.has(one.text) ? undefined : planFor(one)
      const variable = /^\$\{?(\w+)\}?$/.exec(one.text)?.[1]
      const { text, identity, label = '' } = one
      return plan ? [{ ...plan, key: text, identity, was: label, variable }] : []
    })
    planned.sort((a, b) => a.was.localeCompare(b.was, 'en', { numeric: true }))
    const given = this.#given.map((key) => ({ ...key, identity: key.key }))
    const labelled = labelKeys([...given, ...planned])
    for (const { identity, label, quota } of labelled) {
      Object.assign(this.#found.get(identity) ?? {}, { label, quota })
    }
    const others = [...this.#found.values()].filter(({ quota }) => quota === undefined)
    for (const [at, other] of others.entries()) other.label ??= `key-${at + 1}`
    this.labelled = labelled
    const sent = labelled.filter(({ identity }) => this.#found.has(identity))
    const unsent = labelled.filter((key) => !sent.includes(key)).map(({ label }) => label)
    const names = unique([...sent, ...others].map(({ label = '' }) => label))
    this.notes = this.#isSilent ? [saysNothing] : this.#describe(names, others.length, unsent)
  }

  #describe(names: readonly string[], unknown: number, unsent: readonly string[]) {
    const more = unknown > 0 ? `; ${unknown} of them of an unknown plan (--key)` : ''
    return [
      names.length > 0 &&
        `${count(names.length, 'key', 'keys')}: ${names.slice(0, 10).join(', ')}${more}`,
      unsent.length > 0 && `no request has the key of --key that is named ${unsent.join(', ')}`,
      this.#redacted > 0 &&
        `${count(this.#redacted, 'request has', 'requests have')} a redacted key`,
    ].filter((line) => line !== false)
  }

  of(one: Recorded): KeyOf {
    // Whose key it was is not known: what another request shows says nothing of this one.
    if (this.#isSilent || isRedacted(one)) {
      this.#hidden += 1
      return { key: `any-${this.#hidden}`, isHidden: true }
    }
    const token = tokenIn(one)
    if (!token) return { key: null, ofRequest: this.#carriedBy(credentialsOf(one)) }
    const { label, quota, isServed = false } = this.#found.get(token.identity) ?? {}
    if (label === undefined) {
      return { key: null, ofRequest: { says: 'with a key that was never served' } }
    }
    const isOwn = one.key !== undefined
    // Else its responses alone say what its quota is.
    const isSaid = !isOwn && !this.#texts.has(token.text) && { quotaIsSaid: true as const }
    const ofExchange = quota && { quota, ...isSaid }
    return { key: label, ofExchange, isHidden: !isOwn && !quota && !isServed }
  }

  /** Of several fields one may have a valid key, and which of them counts is open. */
  #carriedBy(values: readonly string[]): Pick<ApiRequest, 'carries'> {
    const texts = values.length < 2 ? [] : values.map((value) => bearer.exec(value)?.[1])
    const { label } = [...this.#found.values()].find(({ text }) => texts.includes(text)) ?? {}
    return label === undefined ? {} : { carries: label }
  }
}
