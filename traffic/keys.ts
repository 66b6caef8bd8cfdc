// The keys of recorded traffic: distinguished by their bearer token, and never written.
import type { KeyOption } from '../engine/check/spendable-keys.ts'
import { type LabelledKey, labelKeys } from '../engine/run/run-options.ts'
import type { ApiRequest, Header } from '../history/exchange.ts'
import { type Plan, plans, type Quota } from '../spec/plans.ts'
import type { Recorded } from './recorded.ts'

/** What exporters put in place of a key. */
const redacted = /redacted|hidden|removed|filtered|masked|\*{3}|\u2022{3}|x{6}/i
const bearer = /^\s*(bearer)[ \t]+([\w.~+/-]+=*|\$\w+|\$\{\w+\})\s*$/i

/** What is written is searched for each key, so requests with further ones are left out. */
const maxKeys = 200

export const credentialsOf = (headers: readonly Header[]): readonly string[] =>
  headers.filter(([name]) => name.toLowerCase() === 'authorization').map(([, value]) => value)

const isRedacted = (values: readonly string[]): boolean =>
  values.some((value) => redacted.test(value))

/** Words of one letter case are no keys, and reports are full of them. */
const isWord = (text: string): boolean => /^(?:.{0,5}|[a-z]{0,12})$/i.test(text)

/** Everything that may be a key, or was made of one. */
const wordsIn = ({ headers }: Recorded): readonly string[] =>
  credentialsOf(headers).flatMap((value) => value.split(/[\s,"]+/))

interface Token {
  readonly text: string
  readonly scheme: string
}

const tokenIn = ({ headers, label }: Recorded): Token | undefined => {
  const values = credentialsOf(headers)
  const [, scheme, text] = (values.length === 1 && bearer.exec(values[0] ?? '')) || []
  // petvet says itself which of the values that it sent are valid keys.
  if (scheme === undefined || text === undefined || label === null) return undefined
  return isRedacted(values) ? undefined : { scheme, text }
}

const isSuccess = ({ response }: Recorded): boolean =>
  response !== null && response.status >= 200 && response.status <= 299

const limitOf = ({ response }: Recorded): number | undefined => {
  const [, value] =
    response?.headers.find(([name]) => name.toLowerCase() === 'x-ratelimit-limit') ?? []
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

/** The plan whose numbers the responses to a key have: what was not seen is not known. */
const planFor = (limits: ReadonlySet<number>): Pick<KeyOption, 'plan' | 'quota'> | undefined => {
  const named = Object.entries(plans) as [Plan, Quota][]
  const fitting = named.filter(([, { perMinute, perDay }]) =>
    [...limits].every((limit) => limit === perMinute || limit === perDay),
  )
  const [found, ...others] = fitting
  if (!found || others.length > 0 || !limits.has(found[1].perMinute)) return undefined
  const [plan, { perMinute, perDay }] = found
  return { plan, quota: { perMinute, perDay: limits.has(perDay) ? perDay : Infinity } }
}

/** Of petvet's own label: `free-1`. */
const planOfLabel = (label: string): Pick<KeyOption, 'plan' | 'quota'> | undefined => {
  const plan = label.replace(/-\d+$/, '')
  return plan in plans
    ? { plan: plan as Plan, quota: plans[plan as keyof typeof plans] }
    : undefined
}

/** The key of a request. */
export interface KeyOf extends Pick<ApiRequest, 'authorization' | 'scheme'> {
  /** null: it has none, or something else in place of one. */
  readonly key: string | null
  readonly quota?: Quota
  readonly quotaIsSaid?: true
  readonly carries?: string
  /** What was sent is not known. */
  readonly isHidden?: true
  /** It is one key too many: nothing of its request is written or judged. */
  readonly isLeftOut?: true
}

export interface Keys {
  /** Those whose plan is known. */
  readonly labelled: readonly LabelledKey[]
  /** Those whose plan is not known, with their names. */
  readonly others: ReadonlyMap<string, string>
  readonly of: (one: Recorded, at: number) => KeyOf
  /** Whether no request says which key it was sent with. */
  readonly isSilent: boolean
  /** How many values stand for a key that the exporter left out. */
  readonly redacted: number
  /** Credentials that no report may have, besides the keys whose plan is known. */
  readonly secrets: readonly string[]
}

const identityOf = (one: Recorded, { text }: Token): string =>
  // The keys of two runs have equal names.
  one.label ? `${one.file} ${text}` : text

/** Tells keys apart. @param given keys by plan, as the command line names them */
export const findKeys = (all: readonly Recorded[], given: readonly KeyOption[]): Keys => {
  const known = new Set(given.map(({ key }) => key))
  const valid = new Set(all.filter(isSuccess).flatMap((one) => tokenIn(one)?.text ?? []))
  const wordsOf = (one: Recorded) =>
    one.label === undefined ? wordsIn(one).filter((word) => valid.has(word) || !isWord(word)) : []
  const sent = all.flatMap(wordsOf)
  const secrets = [...new Set(sent)].filter((word) => !known.has(word)).slice(0, maxKeys)
  const hidden = new Set([...secrets, ...known])
  const isLeftOut = (one: Recorded) => wordsOf(one).some((word) => !hidden.has(word))
  const limits = new Map<string, Set<number>>()
  const found = new Map<string, { text: string; label: string | undefined }>()
  for (const one of all) {
    const token = tokenIn(one)
    if (!token || isLeftOut(one)) continue
    const identity = identityOf(one, token)
    found.set(identity, { text: token.text, label: one.label ?? undefined })
    const limit = isSuccess(one) ? limitOf(one) : undefined
    if (limit === undefined) continue
    limits.set(identity, (limits.get(identity) ?? new Set()).add(limit))
  }
  const planned = [...found].flatMap(([identity, { text, label }]) => {
    if (given.some(({ key }) => key === text)) return []
    const plan =
      label === undefined ? planFor(limits.get(identity) ?? new Set()) : planOfLabel(label)
    const variable = /^\$\{?(\w+)\}?$/.exec(text)?.[1]
    return plan ? [{ ...plan, key: text, identity, label, variable }] : []
  })
  planned.sort((a, b) => (a.label ?? '').localeCompare(b.label ?? '', 'en', { numeric: true }))
  const labelled = labelKeys([...given.map((key) => ({ ...key, identity: key.key })), ...planned])
  const byIdentity = new Map(labelled.map((key) => [key.identity, key]))
  const unknown = [...found.keys()].filter((identity) => !byIdentity.has(identity))
  const others = new Map(
    unknown.map((identity, at) => [identity, found.get(identity)?.label ?? `key-${at + 1}`]),
  )
  const tokens = new Map([...found].map(([identity, { text }]) => [text, identity]))
  const nameOf = (identity: string) => byIdentity.get(identity)?.label ?? others.get(identity)
  const isSilent = !all.some(({ headers }) => credentialsOf(headers).length > 0)
  /** Of several fields one may have a valid key, and which of them counts is open. */
  const carriedBy = (values: readonly string[]): string | undefined => {
    if (values.length < 2) return undefined
    const texts = values.map((value) => bearer.exec(value)?.[2])
    const [, identity] = [...tokens].find(([text]) => texts.includes(text)) ?? []
    return identity === undefined ? undefined : nameOf(identity)
  }
  const of = (one: Recorded, at: number): KeyOf => {
    const values = credentialsOf(one.headers)
    const token = tokenIn(one)
    const scheme = token?.scheme ?? 'Bearer'
    if (isLeftOut(one)) return { key: null, authorization: null, scheme, isLeftOut: true }
    // Whose key it was is not known: what another request shows says nothing of this one.
    if (isSilent || isRedacted(values)) {
      return { key: `any-${at + 1}`, isHidden: true, authorization: 'valid', scheme: 'Bearer' }
    }
    if (token) {
      const identity = identityOf(one, token)
      const quota = byIdentity.get(identity)?.quota
      const isSaid =
        quota && one.label === undefined && !given.some(({ key }) => key === token.text)
      const plan = { ...(quota && { quota }), ...(isSaid && { quotaIsSaid: true as const }) }
      return { key: nameOf(identity) ?? null, ...plan, authorization: 'valid', scheme }
    }
    const carries = carriedBy(values)
    const authorization = values.length > 0 ? values : null
    return { key: null, authorization, scheme, ...(carries !== undefined && { carries }) }
  }
  const count = all.filter(({ headers }) => isRedacted(credentialsOf(headers))).length
  return { labelled, others, of, isSilent, redacted: count, secrets }
}
