// Of the responses with one status, how many violate a clause, and which.
import { bodyObject, isUnread } from '../history/body.ts'
import { type Exchange, headerValues } from '../history/exchange.ts'
import { unique } from '../history/quote.ts'
import { noJson } from '../history/value-kinds.ts'
import type { Wrong } from '../history/wrong.ts'
import { short } from '../model/clause.ts'
import { has, isOfPlain, minNoChance, passes } from '../model/conditions.ts'
import { joinWords, noKey, read } from '../model/read.ts'
import type { Part } from '../model/read-body.ts'
import { headerKinds } from '../model/read-head.ts'

export const otherMethods = 'methods that the interface does not have'
const otherAddresses = 'addresses that the interface does not name'

/** What the interface has. */
export const ownOperations: readonly string[] = ['GET /pets', 'POST /pets', 'GET /pets/{petId}']

/** Of a request in words its operation; what the interface does not have is one place. */
export const placeIn = (name: string): string => {
  if (ownOperations.includes(name)) return name
  return /^\S+ \/pets(?:\/[^/?]+)?(?:\?.*)?$/.test(name) ? otherMethods : otherAddresses
}

const placeOf = (one: Exchange): string => placeIn(read(one).name)

/** Of several values of one kind. */
const wordsOfKind = ({ part, kind }: Part): string => {
  if (part === 'petId') return ` with an id ${kind === 'no integer' ? 'that is no integer' : kind}`
  if (part === 'body' && kind === 'no JSON') return ' with a body that is not JSON'
  return part === 'key' ? ' with an invalid key' : ''
}

/** What parsers refuse may be JSON to some. */
const minShare = 0.75

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Whether it was sent with what is no JSON. */
const hasNoJson = ({ apiRequest: { body } }: Exchange): boolean => {
  if (body === null) return false
  try {
    JSON.parse(typeof body === 'string' ? body : utf8.decode(body))
    return false
  } catch {
    return true
  }
}

/** @returns what all of these have, and none of the others; empty where nothing separates them */
const whatSeparates = (failing: readonly Exchange[], others: readonly Exchange[]): string => {
  if (failing.length < minNoChance || others.length < minNoChance) return ''
  const hasOnly = (isOwn: (each: Part) => boolean) =>
    failing.every((one) => read(one).parts.some(isOwn)) &&
    !others.some((one) => read(one).parts.some(isOwn))
  const places = unique(failing.map(placeOf))
  const place = places.length === 1 ? `of ${places[0]}` : 'to requests'
  if (!others.some((one) => places.includes(placeOf(one)))) return `of ${places.join(' or ')}`
  const parts = failing.slice(0, 1).flatMap((one) => read(one).parts)
  const own = parts.filter(({ is }) => is !== 'valid')
  const isOnly = ({ words }: Part) => hasOnly((each) => each.words === words)
  // Of what is valid several parts may be the same by chance.
  const valid = parts.filter((each) => !isOfPlain(each) && isOnly(each))
  const alike = own.find(isOnly) ?? (valid.length === 1 ? valid[0] : undefined)
  if (alike) return `${place} ${alike.words}`
  const unread = others.some(hasNoJson) ? 0 : failing.filter(hasNoJson).length / failing.length
  const ofUnread = `${place} with a body that is not JSON`
  if (unread === 1) return ofUnread
  // The key is sent elsewhere, or not at all.
  const isBare = ({ part, kind }: Part) => part === 'key' && /^none\b/.test(kind)
  if (hasOnly(isBare)) return `${place} ${noKey}`
  const isLike = (one: Part) => (each: Part) => each.part === one.part && each.kind === one.kind
  const kind = own.find((one) => wordsOfKind(one) !== '' && hasOnly(isLike(one)))
  if (kind) return `${place}${wordsOfKind(kind)}`
  return unread >= minShare ? `mostly ${ofUnread}` : ''
}

/** The one part that all of these have, and nothing that passes; of a name, size may matter. */
export const partApart = (
  failing: readonly Exchange[],
  trace: readonly Exchange[],
): readonly Part[] => {
  const [first] = failing
  const passing = trace.filter((one) => first && read(one).name === read(first).name && passes(one))
  if (!first || failing.length < minNoChance || passing.length < minNoChance) return []
  const apart = read(first).parts.filter(
    (each) =>
      !isOfPlain(each) &&
      failing.every((one) => has(one, each)) &&
      !passing.some((one) => has(one, each)),
  )
  return apart.length === 1 && apart[0]?.part !== 'name' ? apart : []
}

const targetOf = ({ apiRequest: { method, path } }: Exchange): string => `${method} ${path}`

/** Whether a response has what another one lacks, whatever judged it. */
const hasPart = (exchange: Exchange, { aspect, name = '', kind }: Wrong): boolean => {
  const all = name.split(', ')
  if (aspect === 'header') return all.some((each) => headerValues(exchange, each).length > 0)
  if (isUnread(exchange)) return false
  const body = bodyObject(exchange)
  return body !== undefined && (kind === noJson || all.some((each) => each in body))
}

/**
 * Of what responses lack: how many with their status have it, and which ones lack it.
 * @param failing all that the check found wrong
 */
export const shareAmong = (
  wrong: Wrong,
  exchanges: readonly Exchange[],
  failing: ReadonlySet<Exchange>,
  trace: readonly Exchange[],
) => {
  const isOfPart = wrong.aspect === 'header' || (wrong.aspect === 'body' && !wrong.ofPet)
  const isLacked = wrong.kind === 'missing' || wrong.kind === noJson
  if (!isOfPart || !isLacked) return {}
  const status = exchanges[0]?.response?.status
  const same = trace.filter(({ response }) => response?.status === status)
  const others = same.filter((one) => !failing.has(one) && hasPart(one, wrong))
  // Those that another clause judges may lack it too: which share these are is then not known.
  const isKnown = exchanges.length + others.length === same.length
  const alike = isKnown ? { alike: same.length } : {}
  if (others.length === 0) return { ...alike, isOfAll: true } as const
  const [sent = '', ...more] = unique(exchanges.map(targetOf))
  const isApart = more.length === 0 && !others.some((one) => targetOf(one) === sent)
  const where = whatSeparates(exchanges, others) || (isApart ? `to ${short(sent)}` : '')
  return where === '' ? alike : { ...alike, where }
}

const maxFields = 2

/** A second one says that there are others. */
const maxTargets = 2

/** What was sent, where nothing is known to decide: of no unknown address. */
export const targetsOf = (exchanges: readonly Exchange[]): readonly string[] | undefined => {
  const targets = exchanges.map((one) => {
    const { path, body } = one.apiRequest
    const fields = read(one).parts.filter(({ kind }) => headerKinds.includes(kind))
    // Of more fields none is named, as that one decides is not known.
    const words =
      fields.length > maxFields ? `with ${fields.length} header fields` : joinWords(fields)
    const sent = [short(path), ...(typeof body === 'string' ? [short(body)] : []), words]
    return sent.filter((each) => each !== '').join(' ')
  })
  const known = unique(targets)
  const isOwn = exchanges.every((one) => read(one).operation !== undefined)
  return known.length > 0 && isOwn ? known.slice(0, maxTargets) : undefined
}
