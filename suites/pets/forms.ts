// Valid requests in the forms that HTTP and JSON allow: another writing of the JSON, and header
// fields that programs between a user and a service add to any request, and that ask for nothing
// (ruling 1). From IANA's registry of HTTP fields, and the manuals of browsers, SDKs, proxies,
// gateways and tracers.

import type { Parts } from '../../engine/check/context.ts'
import type { AnyCheck } from '../../engine/check/declare.ts'
import { type Json, printJson } from '../../history/json.ts'
import { headerOf, withFields, withJson } from './parts.ts'
import { packedRow } from './rows.ts'

/**
 * Not here: what asks for something (Expect, Upgrade, Range, If-*, Prefer, Idempotency-Key, other
 * types or codings in Accept), what only a should says to ignore (X-HTTP-Method-Override,
 * X-Original-URL, X-Rewrite-URL: `create-override-ignored-201`), what a server may have to refuse
 * (Origin and Sec-Fetch-Site of another site, X-Forwarded-Proto: http, a host that is not its own),
 * and what belongs to the connection.
 */
const innocentFields: readonly string[] = [
  ...['Accept: application/json', 'Accept: */*', 'Accept: application/*'],
  ...['Accept: Application/JSON, text/plain;q=0.1, */*;q=0.01', 'Accept-Language: de'],
  'Accept-Language: tr-TR, tr;q=0.9, en;q=0.1',
  'Accept-Language: zh-Hant-TW, zh;q=0.8, *;q=0.5',
  ...['Accept-Language: sl-rozaj-biske-1994, de-CH-1996;q=0.7', 'Accept-Language: *'],
  'Accept-Language: en-US,en;q=0.5,,',
  'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ' +
    '(KHTML, like Gecko) Safari',
  ...['User-Agent: curl/8.14.1', 'User-Agent: Java/21.0.7'],
  ...['User-Agent: petvet (+https://example.com/bot; a "quoted" comment)', 'User-Agent: x'],
  `User-Agent: Mozilla/5.0 (${'Linux; Android 15; '.repeat(12)}wv)`,
  ...['Referer: https://shop.example/pets?limit=1&status=sold', 'Referer: about:blank', 'DNT: 1'],
  ...['Sec-CH-UA: "Chromium";v="138", "Not)A;Brand";v="8"', 'Sec-Fetch-Mode: cors'],
  ...['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: none', 'X-Requested-With: XMLHttpRequest'],
  ...['X-Requested-With: com.example.pets', 'X-CSRF-Token: petvet', 'Cookie: session=petvet'],
  'Cookie: a=1; b=2; limit=1; status=sold',
  'Cookie: _ga=GA1.2.1234567890.1700000000; consent={"all":true}',
  ...['Cookie: lang=de; theme="dark"; empty=', 'Cookie: promo=100%; note=%zz', 'Priority: u=1, i'],
  ...['Priority: u=7', 'Cache-Control: no-cache', 'Cache-Control: max-age=0'],
  ...['Cache-Control: no-store', 'Pragma: no-cache', 'From: qa@example.com'],
  ...['Content-Language: en', 'Content-Language: de, fr', 'Max-Forwards: 10'],
  ...['X-Stainless-Lang: js', 'X-Goog-Api-Client: gl-node/22.19.0 gax/5.0.1', 'X-Retry-Count: 0'],
  ...['X-Retry-Count: 3', 'X-Request-Start: t=1700000000.123', 'X-Forwarded-For: 203.0.113.7'],
  ...['X-Forwarded-For: 203.0.113.7, 10.0.0.1', 'X-Forwarded-For: 2001:db8::17'],
  ...['X-Forwarded-For: unknown', 'X-Forwarded-For: 127.0.0.1', 'X-Forwarded-Proto: https'],
  ...['X-Real-IP: 203.0.113.7', 'X-Real-IP: ::1', 'CF-Connecting-IP: 198.51.100.9'],
  ...['CF-IPCountry: XX', 'CF-IPCountry: T1', 'Forwarded: for=192.0.2.60;proto=https'],
  ...['Forwarded: for="[2001:db8::17]:4711", for=unknown;by=_gateway', 'Via: 1.1 proxy.example'],
  ...['Via: 2 edge (Varnish/7.7), 1.1 google', 'CDN-Loop: cloudflare; loops=1'],
  'X-Forwarded-Client-Cert: Hash=468ed33be74eee6556d90c0149c1309e;Subject="CN=client"',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'traceparent: 00-00000000000000000000000000000001-0000000000000001-00',
  'traceparent: cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-further',
  ...['traceparent: petvet', 'tracestate: rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
  ...['tracestate: a@b=1', 'baggage: userId=alice,serverNode=DF%2028,isProduction=false'],
  ...['baggage: key=value;property', 'b3: 80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1'],
  ...['b3: 0', 'sentry-trace: 4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1'],
  ...['X-Datadog-Trace-Id: 1234567890123456789', 'X-Datadog-Trace-Id: 18446744073709551615'],
  'X-Amzn-Trace-Id: Root=1-67891233-abcdef012345678912345678;Sampled=1',
  ...['X-Request-ID: petvet', 'X-Request-ID: 5f21c09b-7d1e-4b3a-9c55-2f8d3a1b6e70'],
  'X-Request-ID: a b',
  `X-Request-ID: ${'x'.repeat(200)}`,
  ...['X-Correlation-ID: 0', 'X-Correlation-ID: {5F21C09B-7D1E-4B3A-9C55-2F8D3A1B6E70}'],
  ...["X-Correlation-ID: it's 100 % {id}", 'X-RateLimit-Limit: 1', 'X-RateLimit-Remaining: 0'],
  ...['X-RateLimit-Reset: 1', 'X-RateLimit-Reset: 99999999999', 'Retry-After: 60', 'X-Petvet: 1'],
  ...['X-Petvet: true', 'X-Petvet: null', 'X-Petvet: {}', 'X-Petvet: "', 'X-Petvet: a, b; c=d'],
  ...["X-Petvet: it's", 'x-petvet-lower: 1', 'X_Petvet: 1', 'X-Debug: 1', 'X-Debug: true'],
]

/** Of a request that has no body of its own: clients send its type all the same. */
const bodyTypes: readonly string[] = [
  ...['Content-Type: application/json', 'Content-Type: text/plain; charset=iso-8859-1'],
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Type: multipart/form-data; boundary=petvet',
  ...['Content-Type: application/vnd.api+json; version="1"', 'Content-Type: APPLICATION/XML'],
]

type FormValue = readonly [words: string, parts: Parts]

/** The first value of each field, then the second ones, and so on. */
const valuesOf = (fields: readonly string[]): readonly FormValue[] =>
  [...Map.groupBy(fields, (field) => field.split(': ')[0]).values()]
    .flatMap((own) => own.map((field, nth) => ({ field, nth })))
    .sort((a, b) => a.nth - b.nth)
    .map(({ field }) => [`with ${field}`, withFields(headerOf(field))])

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const inCapitals = (unit: string): string => `\\u${escaped(unit).slice(2).toUpperCase()}`

/** Escapes some characters of a string; what is escaped already stays as it is. */
const escaping =
  (pattern: RegExp, written: (unit: string) => string) =>
  (text: string): string =>
    text.replace(/\\(?:u[0-9a-f]{4}|.)|[^\\]/gi, (unit) =>
      unit.length === 1 && pattern.test(unit) ? written(unit) : unit,
    )

interface Style {
  /** Of a string, what is between its quotes. */
  readonly write?: (text: string) => string
  /** White space before and after each sign, and around the whole. */
  readonly spaces?: readonly [before: string, after: string, around: string]
  readonly isReversed?: true
  /** What it writes otherwise is not in each name. */
  readonly isOfText?: true
}

const styles: Readonly<Record<string, Style>> = {
  '/ as \\/': { write: escaping(/\//, () => '\\/'), isOfText: true },
  'beyond ASCII': { write: escaping(/[^\0-\x7f]/, escaped), isOfText: true },
  'beyond ASCII, in capitals': { write: escaping(/[^\0-\x7f]/, inCapitals), isOfText: true },
  letters: { write: escaping(/[a-z]/, escaped) },
  'all characters': { write: escaping(/[^"\\]/s, inCapitals) },
  'members in reverse order': { isReversed: true },
  'a space after each sign': { spaces: ['', ' ', ''] },
  'spaces around each sign': { spaces: [' ', ' ', ' '] },
  'line feeds': { spaces: ['', '\n  ', '\n'] },
  'carriage returns and line feeds': { spaces: ['', '\r\n\t', '\r\n'] },
  tabs: { spaces: ['\t', '\t', '\t'] },
}

const writeIn =
  ({ write = (text) => text, spaces = ['', '', ''], isReversed }: Style) =>
  (pet: Readonly<Record<string, Json>>): string => {
    const [before, after, around] = spaces
    const print = (part: Json): string => {
      const plain = printJson(part)
      return typeof part === 'string' ? `"${write(plain.slice(1, -1))}"` : plain
    }
    const members = Object.entries(pet).map(
      ([name, part]) => `${print(name)}${before}:${after}${print(part)}`,
    )
    if (isReversed) members.reverse()
    return `${around}{${after}${members.join(`${before},${after}`)}${before}}${around}`
  }

const jsonForms = Object.entries(styles).map(([how, style]): FormValue => {
  return [`with JSON written with ${how}`, withJson(writeIn(style), style.isOfText)]
})

const requirement = 'service.any-form'
const writing = { stage: 'creations', allow: ['write'] } as const
const fails = 'Another status than a valid request gets.'

export const requestForms: readonly AnyCheck[] = [
  packedRow('list', fails, {
    ...{ id: 'list-fields-200', requirement, few: 100, needs: { stage: 'reads' } },
    values: valuesOf([...innocentFields, ...bodyTypes]),
  }),
  packedRow('create', fails, {
    ...{ id: 'create-json-form-201', requirement, few: jsonForms.length, needs: writing },
    values: jsonForms,
  }),
  packedRow('create', fails, {
    ...{ id: 'create-fields-201', requirement, few: 48, needs: writing },
    values: valuesOf(innocentFields),
  }),
]
