// Sends the valid requests of checks with many legal peculiarities at once. If the response is
// wrong, the plain request decides whether they matter; if so, they are halved until the one that
// matters is alone, which `twins.ts` reports; the check gets the plain one.

import type { Context } from '../../engine/check/context.ts'
import { type AnyCheck, type SendingCheck, sendsRequests } from '../../engine/check/declare.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  json,
  takeKeyFrom,
} from '../../engine/check/exchange.ts'
import { isInt64, isObject, parseJson, printJson } from '../../engine/check/json.ts'
import type { KnownPets } from '../../engine/check/known-pets.ts'
import { isOrdinaryName, statuses } from '../pets/compare-pets.ts'
import { isRight } from './twins.ts'
import {
  mistakenKey,
  printVariation,
  type Variation,
  type VariationKind,
  variationsBySeed,
  withVariations,
} from './variations.ts'

/** What a run has found out. */
interface Found {
  /** Names of peculiarities that matter: they are not sent any more. */
  readonly mattering: Set<string>
  /** The seed of the check that varied the first request, and how many of a kind were since. */
  readonly seed: number
  readonly dealt: Map<VariationKind, number>
  /** How often a plain request got a wrong response as well, by method. */
  readonly plainFailures: Map<string, number>
}

const foundBy = new WeakMap<KnownPets, Found>()

const foundIn = ({ knownPets, seed }: Context): Found => {
  const start: Found = { mattering: new Set(), seed, dealt: new Map(), plainFailures: new Map() }
  const found = foundBy.get(knownPets) ?? start
  foundBy.set(knownPets, found)
  return found
}

/** Where plain requests fail, peculiar ones show nothing more and cost requests. */
const maxPlainFailures = 2
/** Peculiarities that are found one by one; what fails then has another reason. */
const maxMattering = 8

const isPlainQuery = (query: string): boolean => {
  const parts = query.split('&')
  const names = parts.map((part) => part.split('=', 1)[0])
  const isValid = (part: string) =>
    /^limit=(?:[1-9]\d?|100)$/.test(part) || statuses.some((status) => part === `status=${status}`)
  return parts.every(isValid) && new Set(names).size === names.length
}

const isPlainGet = ({ path }: ApiRequest): boolean => {
  const [address = '', query] = path.split('?')
  if (address === '/pets') return query === undefined || isPlainQuery(query)
  const id = /^\/pets\/(0|-?[1-9]\d{0,18})$/.exec(path)?.[1]
  return id !== undefined && isInt64(BigInt(id))
}

/** Whether a creation must be accepted: an ordinary name, a category that may be used. */
const isPlainPost = ({ path, body }: ApiRequest, { categories }: Context): boolean => {
  if (path !== '/pets' || typeof body !== 'string') return false
  try {
    const value = parseJson(body)
    // Another spelling of a number, or a repeated member, is what its check is about.
    if (!isObject(value) || printJson(value) !== body) return false
    const { name, categoryId, status = 'available', ...others } = value
    return (
      isOrdinaryName(name) &&
      isInt64(categoryId) &&
      categoryId > 0n &&
      (categories.free || categories.known.includes(categoryId)) &&
      statuses.some((each) => each === status) &&
      Object.keys(others).length === 0
    )
  } catch {
    return false
  }
}

const kindOf = (
  request: ApiRequest,
  context: Context,
  stage: SendingCheck['needs']['stage'],
): VariationKind | undefined => {
  const { method, from, authorization, scheme, headers } = request
  const isChanged = request.insists || request.framing || request.padding || request.fresh
  if (from !== 'base' || isChanged) return undefined
  if (stage === 'unauthenticated') {
    const isOwnPath = /^\/pets(?:[/?]|$)/.test(request.path)
    return authorization !== 'valid' && !request.carries && isOwnPath ? 'keyless' : undefined
  }
  if (authorization !== 'valid' || scheme !== 'Bearer') return undefined
  if (method === 'GET' && headers.length === 0 && isPlainGet(request)) return 'GET'
  const isTyped = headers.length === 1 && headers[0] === json
  // Before the probes have ended it is open which categories may be used.
  if (method !== 'POST' || !isTyped || stage === 'probes') return undefined
  return isPlainPost(request, context) ? 'POST' : undefined
}

/** Sends the request with each half, and goes on with the one that still gets a wrong response. */
const smallestOf = async (
  all: readonly Variation[],
  isWrong: (variations: readonly Variation[]) => Promise<boolean>,
): Promise<readonly Variation[]> => {
  let left = all
  while (left.length > 1) {
    const middle = Math.ceil(left.length / 2)
    const halves = [left.slice(0, middle), left.slice(middle)]
    let failing: readonly Variation[] | undefined
    for (const half of halves) failing ??= (await isWrong(half)) ? half : undefined
    if (failing === undefined) break
    left = failing
  }
  return left
}

/** What of a creation without a key is stored is found by its name: each has a name of its own. */
const renamed = (request: ApiRequest, { names }: Context): ApiRequest => {
  const { authorization, body } = request
  if (authorization === 'valid' || typeof body !== 'string') return request
  return { ...request, body: body.replace(new RegExp(`${names.mark}\\d+`), () => names.fresh()) }
}

/** @returns the response that its check judges */
const split = async (
  context: Context,
  request: ApiRequest,
  first: AnsweredExchange,
  variations: readonly Variation[],
): Promise<AnsweredExchange> => {
  const { mattering, plainFailures } = foundIn(context)
  const keyed = request.authorization === 'valid' ? takeKeyFrom(request, first) : request
  const send = (some: readonly Variation[]) =>
    context.call(withVariations(renamed(keyed, context), some))
  const isWrong = async (some: readonly Variation[]) => !right(context, await send(some))
  let plain = await send([])
  if (!right(context, plain)) {
    plainFailures.set(request.method, (plainFailures.get(request.method) ?? 0) + 1)
    return plain
  }
  // What is wrong once in a while is no matter of these: the check judges the response.
  if (!(await isWrong(variations))) return first
  const smallest = await smallestOf(variations, isWrong)
  plain = await send([])
  if (!right(context, plain) || !(await isWrong(smallest))) return plain
  for (const variation of smallest) mattering.add(printVariation(variation))
  return plain
}

const right = ({ knownPets }: Context, exchange: AnsweredExchange): boolean =>
  isRight(exchange, (id) => knownPets.seen.has(id) || knownPets.creationOf(id) !== undefined)

/** Checks that compare connections, or responses with one another. */
const plainRequirements: readonly string[] = [
  'service.own-response',
  'auth.each-request',
  'auth.reveals-nothing',
]

/** Creations are varied by the checks that are about them: what only prepares a check is plain. */
const aboutCreations = /^(?:create|new-pet|pet|service)\./

const stages: readonly string[] = ['probes', 'unauthenticated', 'refusals', 'creations', 'reads']

/** The context of a check whose valid requests are sent with peculiarities, by its seed. */
const strange = (context: Context, { needs, requirement }: SendingCheck): Context => {
  const { stage } = needs
  const call: Context['call'] = async (request) => {
    const found = foundIn(context)
    const { mattering, plainFailures } = found
    const kind = kindOf(request, context, stage)
    const isSetUp = kind === 'POST' && !aboutCreations.test(requirement)
    const isInVain = (plainFailures.get(request.method) ?? 0) >= maxPlainFailures
    if (kind === undefined || isSetUp || isInVain || mattering.size >= maxMattering) {
      return context.call(request)
    }
    const nth = (found.dealt.get(kind) ?? 0) + 1
    found.dealt.set(kind, nth)
    const isKeyFree = request.authorization === null && requirement === 'auth.first'
    const variations = [
      ...(isKeyFree ? [mistakenKey(found.seed, nth)] : []),
      ...variationsBySeed(kind, found.seed, nth),
    ].filter((variation) => !mattering.has(printVariation(variation)))
    const response = await context.call(withVariations(request, variations))
    return right(context, response) ? response : split(context, request, response, variations)
  }
  return { ...context, call }
}

/** A check with valid requests as strange as the interface allows. */
export const withStrangeRequests = (check: AnyCheck): AnyCheck => {
  if (!sendsRequests(check) || !stages.includes(check.needs.stage)) return check
  if (plainRequirements.includes(check.requirement)) return check
  return check.kind === 'observe'
    ? { ...check, run: (context) => check.run(strange(context, check)) }
    : { ...check, run: (context) => check.run(strange(context, check)) }
}
