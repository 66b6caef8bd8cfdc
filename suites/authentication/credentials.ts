// The table of credentials: no key, an invalid one, or a valid one in the wrong place. Each request
// is otherwise valid, and must get 401. Clauses judge the body of the error.

import type { Forgery, Permission } from '../../engine/check/context.ts'
import type { Check, Make, Value } from '../../engine/check/declare.ts'
import { createPet, getPet, plainRequest } from '../../engine/check/requests.ts'
import { row } from '../../engine/check/row.ts'
import { allKeys } from '../../engine/check/spendable-keys.ts'
import { get, json, type Operation, post, unauthorized } from '../../history/exchange.ts'
import { printJson } from '../../history/json.ts'
import { noKey } from '../../model/read.ts'
import { largerPlans, type Plan } from '../../spec/plans.ts'
import type { BindingRequirementId } from '../../spec/requirements.ts'
import noKeys from '../vocabulary/no-keys.json' with { type: 'json' }
import {
  altered,
  exposed,
  inCookies,
  inForm,
  inHeaders,
  inJson,
  inQuery,
  latin1,
  type Spoil,
  sent,
  unissued,
} from './demand.ts'

/** A server may limit the requests without a key of a client address. */
const firstKeyless = 5

const keyless = (
  operation: Operation,
  id: string,
  requirement: BindingRequirementId,
  values: readonly Value[],
  plan?: Plan,
  allow: readonly Permission[] = [],
): Check =>
  row(operation, {
    ...{ id: `auth-${id}-${operation}-401`, requirement },
    ...{ values: values.slice(0, firstKeyless), more: values.slice(firstKeyless) },
    needs: {
      stage: 'unauthenticated',
      // The target may wrongly accept the creation.
      allow: [...(operation === 'create' ? (['write'] as const) : []), ...allow],
      ...(operation === 'get' && { getPet: true }),
      ...(plan && { plan }),
    },
  })

/** A valid request, spoiled: it says how, as a key is not shown. */
const spoiled =
  (operation: Operation, words: string, spoil: Spoil, plan?: Plan): Make =>
  (context) => {
    const key = plan && allKeys(context.limits).find((each) => each.plan === plan)
    const forge = (make: Forgery, label = key?.label) => context.forge(make, label)
    const request = spoil(plainRequest[operation](context), { ...context, forge })
    const says = words.replaceAll('`', '')
    // Its reading says so, and what else it has.
    return says.endsWith(noKey) ? request : { ...request, says }
  }

type Entry = readonly [
  id: string,
  on: Operation | 'each',
  words: string,
  ...spoils: readonly Spoil[],
]

const byStatus: Spoil = (valid) => ({ ...unauthorized(valid), path: '/pets?status=available' })

/** What programs send in place of a key by mistake: none was ever issued, or looks masked. */
const tokens = (all: readonly string[]): readonly Spoil[] =>
  all.map((token) => (valid) => unauthorized(valid, `Bearer ${token}`))

const longTokens = [300, 2_000].map((length) => 'k'.repeat(length))

const operations = ['list', 'create', 'get'] as const

const otherCharacter = (which: 'first' | 'last') =>
  `with a valid key whose ${which} character is changed`
const changedMiddle = 'with a valid key changed in its middle'
const otherCase = 'with a valid key in the other letter case'
const noneValid = 'with two headers: `Basic` with a valid key, `Bearer` with an invalid one'
const noValue = 'with a word that programs write for no value, such as `undefined`, as its key'
const placeholder = 'with a placeholder that nothing has filled in as its key'

type Group = readonly [BindingRequirementId, ...Entry[]]

/** A key outside `Authorization`, where access logs keep it: one that is valid takes `expose`. */
const elsewhere: Group = [
  'auth.only-bearer',
  ['query-api-key', 'each', ...inQuery('api_key', 'apikey', 'key')],
  ['query-access-token', 'list', ...inQuery('access_token', 'token')],
  ['cookie', 'each', 'only in cookies', inCookies],
  ['x-api-key', 'each', ...inHeaders('KEY', 'X-API-Key', 'Api-Key', 'X-Auth-Token')],
  ['gateway-fields', 'list', ...inHeaders('KEY', ...noKeys.fields)],
  ['gateway-fields-bearer', 'list', ...inHeaders('Bearer KEY', ...noKeys.bearerFields)],
  ['gateway-parameters', 'list', ...inQuery(...noKeys.parameters)],
  ['proxy-authorization', 'list', ...inHeaders('Bearer KEY', 'Proxy-Authorization')],
  ['body-json', 'create', 'only in its JSON body', inJson],
  ['body-form', 'create', 'only in a form body', inForm],
]

const groups: readonly Group[] = [
  ...operations.map((operation): Group => {
    const missing = ['missing', operation, 'without an `Authorization` header', sent()] as const
    return [`${operation}.unauthorized`, missing]
  }),
  [
    'auth.key-missing',
    ['missing-with-status', 'list', 'by status, without an `Authorization` header', byStatus],
    ['empty', 'each', 'with an empty `Authorization` header', sent('')],
    ['bearer-alone', 'each', 'with `Authorization: Bearer` and no key', sent('Bearer')],
  ],
  [
    'auth.scheme',
    ['basic', 'each', 'with a valid key under the scheme `Basic`, not encoded', sent('Basic KEY')],
    ['basic-encoded', 'list', 'with a valid key encoded for `Basic`', altered('pair', 'Basic')],
    ['token', 'create', 'with a valid key under the scheme `Token`', sent('Token KEY')],
    ['api-key-scheme', 'get', 'with a valid key under the scheme `ApiKey`', sent('ApiKey KEY')],
  ],
  [
    'auth.only-bearer',
    ['no-scheme', 'each', 'with a valid key in `Authorization` and no scheme', sent('KEY')],
    ['glued-scheme', 'list', 'with `Bearer` and a valid key, no space between', sent('BearerKEY')],
    ['scheme-colon', 'get', 'with a colon after `Bearer` and a valid key', sent('Bearer: KEY')],
  ],
  elsewhere,
  [
    'auth.key-invalid',
    ['changed-first', 'each', otherCharacter('first'), altered('first')],
    ['changed-last', 'list', otherCharacter('last'), altered('last')],
    ['changed-last', 'get', otherCharacter('last'), altered('last')],
    ['changed-middle', 'list', changedMiddle, altered('middle')],
    ['changed-segment', 'list', 'with a valid key changed behind a separator', altered('segment')],
    ['cut-end', 'each', 'with the first half of a valid key', altered('firstHalf')],
    ['cut-start', 'list', 'with the second half of a valid key', altered('secondHalf')],
    ['extended', 'each', 'with a valid key and `-petvet` appended', altered('extended')],
    ['letter-case', 'each', otherCase, altered('otherCase')],
    ['two-keys', 'list', 'with a valid, then an invalid key', sent('Bearer KEY, Bearer OTHER')],
    ['two-keys-turned', 'get', 'with an invalid and a valid key', sent('Bearer OTHER, Bearer KEY')],
    ['two-headers-none-valid', 'list', noneValid, sent('Basic KEY', 'Bearer OTHER')],
    ['space-inside', 'list', 'with a space in the middle of a valid key', altered('spaced')],
    ['word-behind', 'list', 'with a valid key and a word after it', sent('Bearer KEY petvet')],
    ['quoted', 'list', 'with a valid key in quotes', sent('Bearer "KEY"')],
    // Every plain object has such a property.
    ['prototype-name', 'list', 'with the key `constructor`', sent('Bearer constructor')],
    ['latin1', 'list', 'with a key that has a byte above ASCII', latin1],
    ['no-value', 'list', noValue, ...tokens(noKeys.noValue)],
    ['placeholder', 'list', placeholder, ...tokens(noKeys.placeholders)],
    [
      'pattern',
      'list',
      'with a pattern, or a sign of a query, as its key',
      ...tokens(noKeys.patterns),
    ],
    ['long', 'list', 'with a key of 300 and of 2,000 characters', ...tokens(longTokens)],
    ['property', 'list', 'with the name of a property as its key', ...tokens(noKeys.properties)],
    [
      'grammar',
      'list',
      'with credentials that hold no key',
      ...noKeys.grammar.map((all) => sent(all)),
    ],
    [
      'around',
      'list',
      'with a valid key and signs around it',
      ...noKeys.around.map((all) => sent(all)),
    ],
  ],
  [
    'errors.401',
    ['unissued', 'each', 'with a key that was never issued, by the seed', sent('Bearer OTHER')],
  ],
]

const valuesOf = (operation: Operation, words: string, spoils: readonly Spoil[], plan?: Plan) =>
  spoils.map((spoil): Value => [words, spoiled(operation, words, spoil, plan)])

/** Almost valid keys of each larger plan, since a server may look up each plan elsewhere. */
const ofLargerPlans = largerPlans.map((plan) => {
  const values = [
    ...valuesOf('list', otherCharacter('last'), [altered('last')], plan),
    ...valuesOf('list', changedMiddle, [altered('middle')], plan),
    ...valuesOf('list', otherCase, [altered('otherCase')], plan),
  ]
  return keyless('list', `changed-${plan}-key`, 'auth.key-invalid', values, plan)
})

/** Fields that a cache or a server may act on before it looks at the key. */
const asking = (path: string): readonly Value[] =>
  [
    ['If-None-Match', '*'],
    ['If-Modified-Since', 'Fri, 01 Jan 2100 00:00:00 GMT'],
    ['Range', 'bytes=0-0'],
    ['Accept', 'text/html'],
  ].map(([name = '', value = '']) => [
    `with ${name}: ${value}`,
    () => ({ ...get(path), headers: [[name, value] as const] }),
  ])

/** What else is wrong with a request without a key. */
const faults: Readonly<Record<Operation, readonly Value[]>> = {
  list: [
    ['with limit 0', () => get('/pets?limit=0')],
    ['with an unknown status', () => get('/pets?status=petvet')],
    ...asking('/pets'),
  ],
  create: [
    ['cut before its last brace', ({ newPet }) => createPet(printJson(newPet()).slice(0, -1))],
    ['without a body', () => createPet(null)],
    [
      'as text/plain',
      ({ newPet }) => post('/pets', printJson(newPet()), [[json[0], 'text/plain']]),
    ],
  ],
  get: [
    ['of an id that no pet is likely to have', () => getPet(7046029254386353087n)],
    ['of another such id', () => getPet(-7046029254386353087n)],
    ['of the id petvet', () => getPet('petvet')],
    ...asking('/pets/1'),
  ],
}

const first = operations.map((operation) => {
  const values = faults[operation].map(
    ([words, make]): Value => [
      `without a key, and ${words}`,
      (context, pick) => unauthorized(make(context, pick)),
    ],
  )
  return keyless(operation, 'first', 'auth.first', values)
})

/** With a valid key where that is permitted, else with one that was never issued. */
const exposedIfPermitted =
  (spoil: Spoil): Spoil =>
  (valid, context) =>
    (context.allow.includes('expose') ? exposed : unissued)(spoil)(valid, context)

/** What may be in place of the key of any request. */
export const spoils: readonly Spoil[] = groups.flatMap((group) => {
  const [, ...entries] = group
  const all = entries.flatMap(([, on, , ...own]) =>
    // Of the many texts of a vocabulary two.
    on === 'list' || on === 'each' ? own.slice(0, 2) : [],
  )
  return group === elsewhere ? all.map(exposedIfPermitted) : all
})

const rowsOf = (group: Group): readonly Check[] => {
  const [requirement, ...entries] = group
  const isElsewhere = group === elsewhere
  return entries.flatMap(([id, on, words, ...all]) =>
    (on === 'each' ? operations : [on]).map((operation) => {
      const values = isElsewhere
        ? valuesOf(operation, `with a valid key ${words}`, all.map(exposed))
        : valuesOf(operation, words, all)
      return keyless(operation, id, requirement, values, undefined, isElsewhere ? ['expose'] : [])
    }),
  )
}

const unissuedElsewhere = operations.map((operation) => {
  const [, ...entries] = elsewhere
  const values = entries.flatMap(([, on, words, ...all]) =>
    on === 'each' || on === operation
      ? valuesOf(operation, `with a key that was never issued ${words}`, all.map(unissued))
      : [],
  )
  return keyless(operation, 'unissued-elsewhere', 'auth.key-invalid', values)
})

export const credentials: readonly Check[] = [
  ...groups.flatMap(rowsOf),
  ...unissuedElsewhere,
  ...ofLargerPlans,
  ...first,
]
