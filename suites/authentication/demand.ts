// Rows without a valid key: every such request must get 401. A valid request is sent without its
// key, or with an invalid one, and is otherwise the same. Clauses judge the body of the error.

import type { Context, Forgery } from '../../engine/check/context.ts'
import { type Check, check } from '../../engine/check/declare.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import {
  type AnsweredExchange,
  type ApiRequest,
  hasMalformedKey,
  isAnswered,
  isFromBelow,
  isSuccess,
  type Operation,
  statusCode,
  unauthorized,
} from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { completes, Untested } from '../../history/outcome.ts'
import { violateStatus } from '../../model/clause.ts'
import { noKey, read } from '../../model/read.ts'
import type { Plan } from '../../spec/plans.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import { controlFailed, operationNames, whenScarce } from '../pets/requests.ts'

export type Spoil = (valid: ApiRequest, context: Context) => ApiRequest

export const plain: Forgery = { of: (key) => key, shell: '$PETVET_KEY' }
export const percentEncoded: Forgery = { of: encodeURIComponent, shell: '$PETVET_KEY' }

const half = (key: string) => Math.floor(key.length / 2)
const otherFirst = (key: string) => `${key.startsWith('x') ? 'y' : 'x'}${key.slice(1)}`

/** Shell code that applies `sed` to the key. */
const sed = (script: string, options = '') =>
  `$(printf %s "$PETVET_KEY" | sed${options} '${script}')`

const firstHalf = `\${PETVET_KEY:0:\${#PETVET_KEY}/2}`
const secondHalf = `\${PETVET_KEY:\${#PETVET_KEY}/2}`
const firstPart = '^([^-_.]*[-_.]|.)'

/** Almost valid keys: changed in one character, cut, or extended. */
export const keys = {
  first: { of: otherFirst, shell: sed('s/^x/y/;t;s/^./x/') },
  last: {
    of: (key) => `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`,
    shell: sed('s/x$/y/;t;s/.$/x/'),
  },
  middle: {
    of: (key) => `${key.slice(0, half(key))}${otherFirst(key.slice(half(key)))}`,
    shell: `${firstHalf}$(printf %s "${secondHalf}" | sed 's/^x/y/;t;s/^./x/')`,
  },
  // Changes the `l` of `sk_live_abc`: after the first separator, else the second character.
  segment: {
    of: (key) => {
      const [first = ''] = /^(?:[^-_.]*[-_.](?=.)|.)/s.exec(key) ?? []
      return `${first}${otherFirst(key.slice(first.length))}`
    },
    shell: sed(`s/${firstPart}x/\\1y/;t;s/${firstPart}./\\1x/`, ' -E'),
  },
  otherCase: {
    of: (key) =>
      key.replace(/[a-z]/gi, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      ),
    shell: '$(printf %s "$PETVET_KEY" | tr a-zA-Z A-Za-z)',
  },
  extended: { of: (key) => `${key}-petvet`, shell: `\${PETVET_KEY}-petvet` },
  firstHalf: { of: (key) => key.slice(0, Math.max(1, half(key))), shell: firstHalf },
  secondHalf: { of: (key) => key.slice(half(key)), shell: secondHalf },
  spaced: {
    of: (key) => `${key.slice(0, half(key))} ${key.slice(half(key))}`,
    shell: `${firstHalf} ${secondHalf}`,
  },
} satisfies Record<string, Forgery>

/** A key that was never issued: 128 bits derived from the seed cannot match one by chance. */
const unissuedKey = (seed: number): string =>
  `petvet-${BigInt.asUintN(128, (BigInt(seed) + 1n) * 0x9e3779b97f4a7c15f39cc0605cedc835n)}`

/** These Authorization headers: KEY is a valid key, OTHER one that was never issued. */
export const sent =
  (...headers: string[]): Spoil =>
  (valid, { forge, seed }) => {
    const write = (word: string) => (word === 'KEY' ? forge(plain) : unissuedKey(seed))
    return unauthorized(valid, ...headers.map((header) => header.replace(/KEY|OTHER/g, write)))
  }

/** Any text as the token. */
export const spoilWith =
  (key: string): Spoil =>
  (valid) =>
    unauthorized(valid, `Bearer ${key}`)

export const altered =
  (forgery: Forgery): Spoil =>
  (valid, { forge }) => {
    const text = forge(forgery)
    if (text === forge(plain)) {
      throw new Untested('ambiguous', 'this does not change the key; use another key')
    }
    return unauthorized(valid, `Bearer ${text}`)
  }

/** A part of the key, which may be a common word: the whole header is redacted as well. */
export const part =
  ({ of, shell }: Forgery): Spoil =>
  (valid, { forge }) => {
    if (forge({ of, shell }) === forge(plain)) {
      throw new Untested('ambiguous', 'the key is too short to be cut; use another key')
    }
    const whole = { of: (key: string) => `Bearer ${of(key)}`, shell: `Bearer ${shell}` }
    return unauthorized(valid, forge(whole))
  }

/** The key in each of these headers, none of which a server may accept. */
export const inHeaders =
  (names: readonly string[], write: (key: string) => string): Spoil =>
  (valid, { forge }) => ({
    ...unauthorized(valid),
    headers: [...valid.headers, ...names.map((name) => [name, write(forge(plain))] as const)],
  })

export const inQuery =
  (...names: string[]): Spoil =>
  (valid, { forge }) => {
    const query = names.map((name) => `${name}=${forge(percentEncoded)}`).join('&')
    const path = `${valid.path}${valid.path.includes('?') ? '&' : '?'}${query}`
    return { ...unauthorized(valid), path }
  }

/** One request without a valid key: a valid one of the operation, spoiled. */
export type Keyless = readonly [operation: Operation, spoil: Spoil]

export interface KeylessRow {
  readonly id: string
  readonly requirement: BindingRequirementId
  /** What is sent instead of a valid key: `with the first half of a valid key`. */
  readonly words: string
  readonly requests: readonly Keyless[]
  /** So many of them are sent where requests are scarce. */
  readonly few?: number
  /** The plan whose key is spoiled, if not any. */
  readonly plan?: Plan
  /** Each request shows what is wrong with it besides. */
  readonly isVaried?: true
}

/** The control request; a creation gets a new name, so that its pet can be recognised. */
const validOf = (
  operation: Operation,
  { apiRequest }: AnsweredExchange,
  { newPet }: Context,
): ApiRequest =>
  operation === 'create' ? { ...apiRequest, body: printJson(newPet()) } : apiRequest

/** Whether it lacks nothing but a key, and its connection can remember none. */
const isBare = (exchange: AnsweredExchange, operation: Operation): boolean => {
  const { operation: own, key, parts } = read(exchange)
  return own === operation && key === 'none' && parts.length === 1 && !!exchange.response.opened
}

/**
 * The response to a valid request without any key, looked up in the history, or else sent on a
 * connection of its own. It is the control of requests that send something else instead of a key.
 */
export const withoutKey = async (context: Context, operation: Operation) => {
  const known = context.history.exchanges.filter(isAnswered).find((one) => isBare(one, operation))
  if (known) return known
  const control = await context.control(operation)
  const bare = { ...unauthorized(validOf(operation, control, context)), says: noKey }
  const [response] = await context.together([bare])
  return response ?? control
}

/** Of nothing but a valid request: what any other credential is compared with. */
export const bare: Spoil = (valid) => unauthorized(valid)

/** A server that requires no key at all has one fault, which one check reports. */
export const unlessOpen = (
  open: AnsweredExchange,
  operation: Operation,
  ...evidence: AnsweredExchange[]
): void => {
  if (statusCode(open) === 401) return
  const message = `without any key the response is ${statusCode(open)}, not 401`
  const because = `${message}: see auth-missing-${operation}-401`
  throw new Untested('blocked', because, [open, ...evidence])
}

/** A connection that remembers the key of an earlier request has another fault. */
const unlessRemembered = async (
  context: Context,
  request: ApiRequest,
  response: AnsweredExchange,
): Promise<void> => {
  const [alone = response] = await context.together([{ ...request, fresh: true }])
  if (statusCode(alone) !== 401) return
  const message = 'on a new connection it gets 401: see auth-connection-list-401'
  throw new Untested('blocked', message, [response, alone])
}

export const expectKeyRequired = async (
  context: Context,
  operation: Operation,
  spoil: Spoil,
): Promise<void> => {
  const control = await context.control(operation)
  if (spoil === bare) {
    const response = await withoutKey(context, operation)
    if (statusCode(response) !== 401) violateStatus('status 401', control, response)
    return
  }
  const invalid = spoil(validOf(operation, control, context), context)
  const response = await context.call(invalid)
  if (statusCode(response) === 401) return
  // `auth-malformed-401` judges it.
  if (statusCode(response) === 400 && hasMalformedKey(response)) return
  if (isFromBelow(response)) {
    const message = `the HTTP server may have refused this header: ${statusCode(response)}`
    throw new Untested('ambiguous', message, [control, response])
  }
  const open = await withoutKey(context, operation)
  // If it is served and a request without any key is not, the invalid key was accepted.
  if (isSuccess(open) || !isSuccess(response)) unlessOpen(open, operation, response)
  await unlessRemembered(context, invalid, response)
  violateStatus('status 401', control, response)
}

/** Spoils a request, which then says how: a key is not shown. */
const said = ({ words }: KeylessRow, spoil: Spoil): Spoil =>
  spoil === bare
    ? spoil
    : (valid, context) => ({ ...spoil(valid, context), says: words.replaceAll('`', '') })

/** Those whose control request succeeds and may be sent: one that fails hides no other. */
const usable = async (context: Context, all: readonly Keyless[]): Promise<readonly Keyless[]> => {
  const served = new Map<Operation, boolean>()
  for (const operation of new Set(all.map(([each]) => each))) {
    const isAllowed = operation !== 'create' || context.allow.includes('write')
    served.set(operation, isAllowed && (await completes(context.control(operation))))
  }
  const found = all.filter(([operation]) => served.get(operation))
  return found.length > 0 ? found : all
}

/** Why it may be unknown whether something was accepted as a key. */
export const unlessRequired = (...operations: readonly Operation[]): string => {
  const missing = operations.map((operation) => `\`auth-missing-${operation}-401\``).join(', ')
  const controls = operations.map((operation) => controlFailed[operation])
  return (
    `${controls.join(', ')}; or a request without any key does not get 401 either (blocked), ` +
    `which ${missing} reports; or the key cannot be spoiled so, or an HTTP server in front may ` +
    'have refused the header (ambiguous)'
  )
}

/** A row whose requests must all get 401, each next to its valid request. */
export const keyless = (row: KeylessRow): Check => {
  const { id, requirement, words, requests, few = requests.length, plan } = row
  const operations = [...new Set(requests.map(([operation]) => operation))]
  const [only] = operations.length === 1 ? operations : []
  const counts = operations.map((operation) => {
    const { length } = requests.filter(([each]) => each === operation)
    return `${length > 1 ? length : 'One'} valid ${operationNames[operation]}`
  })
  return check({
    id,
    requirement,
    needs: {
      stage: 'unauthenticated',
      // The target may wrongly accept the creation.
      ...(only === 'create' && { allow: ['write'] }),
      ...(only === 'get' && { getPet: true }),
      ...(plan && { plan }),
    },
    sends: `${counts.join(', ')}, ${words}${few < requests.length ? `; ${few}${whenScarce}` : ''}.`,
    fails:
      'Any status other than 401, save 400 to credentials that are not a scheme and one token, ' +
      'which `auth-malformed-401` judges. The valid request differs only in the key.',
    inconclusive: unlessRequired(...operations),
    run: async (context) => {
      const key = plan && allKeys(context.limits).find((each) => each.plan === plan)
      const ofKey = { ...context, forge: (make: Forgery) => context.forge(make, key?.label) }
      const sent = context.sample(await usable(context, requests), few)
      await expectEach(sent, ([operation, spoil]) =>
        expectKeyRequired(
          key ? ofKey : context,
          operation,
          row.isVaried ? spoil : said(row, spoil),
        ),
      )
    },
  })
}
