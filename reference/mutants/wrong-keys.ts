// Keys in the wrong place, and texts that only resemble a key: what servers take for one.
import {
  bodyOf,
  everywhere,
  type KeyFault,
  keyAfter,
  keyIn,
  keyLike,
  letsIn,
  queryOf,
} from './recognising-keys.ts'

export const keysElsewhere: readonly KeyFault[] = [
  {
    takes: 'no-scheme',
    on: everywhere,
    fault: 'The scheme is removed where it is there.',
    recognise: keyAfter(/^(\S+)$/),
  },
  {
    takes: 'glued-scheme',
    on: ['list'],
    fault: 'The scheme is cut off by its length, and the rest is trimmed.',
    recognise: keyAfter(/^bearer *(.+)$/i),
  },
  {
    takes: 'scheme-colon',
    on: ['get'],
    fault: 'The header is split at anything but letters.',
    recognise: keyAfter(/^bearer\W+(.+)$/i),
  },
  {
    takes: 'query-api-key',
    on: everywhere,
    fault: 'For links, a key in the query is taken.',
    recognise: keyIn((request) => queryOf(request).get('api_key')),
  },
  {
    takes: 'query-access-token',
    on: ['list'],
    fault: 'The middleware also knows the query parameter of RFC 6750.',
    recognise: keyIn((request) => queryOf(request).get('access_token')),
  },
  {
    takes: 'cookie',
    on: everywhere,
    fault: 'The session of the dashboard opens the API.',
    recognise: keyIn(({ header }) => /\bapi_key=([^;]*)/.exec(header('cookie') ?? '')?.[1]),
  },
  {
    takes: 'x-api-key',
    on: everywhere,
    fault: 'X-API-Key is taken as well.',
    recognise: keyIn(({ header }) => header('x-api-key')),
  },
  {
    takes: 'proxy-authorization',
    on: ['list'],
    fault: 'What is meant for a proxy is taken too.',
    recognise: keyIn(({ header }) => header('proxy-authorization')?.replace(/^Bearer /, '')),
  },
  {
    takes: 'body-json',
    on: ['create'],
    fault: 'A member of the body may hold the key.',
    recognise: keyIn((request) => /"api_key": ?"([^"]*)"/.exec(bodyOf(request))?.[1]),
  },
  {
    takes: 'body-form',
    on: ['create'],
    fault: 'The middleware also knows the form parameter of RFC 6750.',
    recognise: keyIn((request) => new URLSearchParams(bodyOf(request)).get('access_token')),
  },
]

/** All parts but the second one: `sk_live_abc` without `live`. */
const withoutSecond = (key: string): string => key.split(/[-_.]/).toSpliced(1, 1).join('-')

export const keysUnlike: readonly KeyFault[] = [
  {
    takes: 'changed-first',
    on: everywhere,
    fault: 'The first character, a mark of the kind of key, is not compared.',
    recognise: keyLike((token, key) => token.slice(1) === key.slice(1)),
  },
  {
    takes: 'changed-last',
    on: ['list', 'get'],
    fault: 'One character too few is compared.',
    recognise: keyLike((token, key) => token.slice(0, -1) === key.slice(0, -1)),
  },
  {
    takes: 'changed-middle',
    on: ['list'],
    fault: 'Of a key only what a dashboard shows of it is stored: its beginning and its end.',
    recognise: keyLike(
      (token, key) =>
        token.length === key.length &&
        token.slice(0, 6) === key.slice(0, 6) &&
        token.slice(-4) === key.slice(-4),
    ),
  },
  {
    takes: 'changed-segment',
    on: ['list'],
    fault: 'The environment in a key (live or test) is cut out before it is compared.',
    recognise: keyLike((token, key) => withoutSecond(token) === withoutSecond(key)),
  },
  {
    takes: 'cut-end',
    on: everywhere,
    fault: 'The comparison ends where the shorter text does.',
    recognise: keyLike((token, key) => key.startsWith(token)),
  },
  {
    takes: 'cut-start',
    on: ['list'],
    fault: 'Keys are searched with LIKE.',
    recognise: keyLike((token, key) => key.endsWith(token)),
  },
  {
    takes: 'extended',
    on: everywhere,
    fault: 'Only as many characters as a key has are looked at.',
    recognise: keyLike((token, key) => token.startsWith(key)),
  },
  {
    takes: 'letter-case',
    on: everywhere,
    fault: 'The column of the keys has a collation without letter case.',
    recognise: keyLike((token, key) => token.toLowerCase() === key.toLowerCase()),
  },
  {
    takes: 'two-keys',
    on: ['list'],
    fault: 'Of a list of credentials the first counts.',
    recognise: keyLike((token, key) => token.split(',')[0] === key),
  },
  {
    takes: 'two-keys-turned',
    on: ['get'],
    fault: 'Of a list of credentials the last counts.',
    recognise: keyLike((token, key) => token.split(/[ ,]+/).at(-1) === key),
  },
  {
    takes: 'two-headers-none-valid',
    on: ['list'],
    fault: 'The scheme of one header line is put together with the key of another.',
    recognise: ({ header }, keys) =>
      keys.find(({ key }) => header('authorization')?.includes(`${key}, Bearer`)),
  },
  {
    takes: 'space-inside',
    on: ['list'],
    fault: 'All white space is removed before the comparison.',
    recognise: keyLike((token, key) => token.replaceAll(' ', '') === key),
  },
  {
    takes: 'word-behind',
    on: ['list'],
    fault: 'The header is split at its spaces, and the second part is the key.',
    recognise: keyLike((token, key) => token.split(' ')[0] === key),
  },
  {
    takes: 'quoted',
    on: ['list'],
    fault: 'Quotes around the key are removed.',
    recognise: keyLike((token, key) => token === `"${key}"`),
  },
  {
    takes: 'prototype-name',
    on: ['list'],
    fault: 'Keys are looked up in an object, which has members of its own.',
    recognise: letsIn(({ header }) => (header('authorization') ?? '').slice(7) in {}),
  },
]
