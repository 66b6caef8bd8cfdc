// Header fields that programs between a user and a service add to any request, and that ask for
// nothing: a valid request with them stays valid (ruling 1). From IANA's registry of HTTP fields,
// and the manuals of browsers, SDKs, proxies, gateways and tracers.

import type { Header } from '../../history/exchange.ts'

/** By name: the values of each field. */
export type Fields = Readonly<Record<string, readonly [string, ...string[]]>>

/**
 * Not here: what asks for something (Expect, Upgrade, Range, If-*, Prefer, Idempotency-Key, other
 * types or codings in Accept), what only a should says to ignore (X-HTTP-Method-Override,
 * X-Original-URL, X-Rewrite-URL: `create-override-ignored-201`), what a server may have to refuse
 * (Origin and Sec-Fetch-Site of another site, X-Forwarded-Proto: http, a host that is not its own),
 * and what belongs to the connection.
 */
export const innocentFields: Fields = {
  // Clients and browsers.
  Accept: [
    'application/json',
    '*/*',
    'application/*',
    'Application/JSON, text/plain;q=0.1, */*;q=0.01',
  ],
  'Accept-Language': [
    'de',
    'tr-TR, tr;q=0.9, en;q=0.1',
    'zh-Hant-TW, zh;q=0.8, *;q=0.5',
    'sl-rozaj-biske-1994, de-CH-1996;q=0.7',
    '*',
    'en-US,en;q=0.5,,',
  ],
  'User-Agent': [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Safari',
    'curl/8.14.1',
    'Java/21.0.7',
    'petvet (+https://example.com/bot; a "quoted" comment)',
    'x',
    `Mozilla/5.0 (${'Linux; Android 15; '.repeat(12)}wv)`,
  ],
  Referer: ['https://shop.example/pets?limit=1&status=sold', 'about:blank'],
  DNT: ['1'],
  'Sec-CH-UA': ['"Chromium";v="138", "Not)A;Brand";v="8"'],
  'Sec-Fetch-Mode': ['cors'],
  'Sec-Fetch-Site': ['same-origin', 'none'],
  'X-Requested-With': ['XMLHttpRequest', 'com.example.pets'],
  'X-CSRF-Token': ['petvet'],
  Cookie: [
    'session=petvet',
    'a=1; b=2; limit=1; status=sold',
    '_ga=GA1.2.1234567890.1700000000; consent={"all":true}',
    'lang=de; theme="dark"; empty=',
    'promo=100%; note=%zz',
  ],
  Priority: ['u=1, i', 'u=7'],
  'Cache-Control': ['no-cache', 'max-age=0', 'no-store'],
  Pragma: ['no-cache'],
  From: ['qa@example.com'],
  'Content-Language': ['en', 'de, fr'],
  'Max-Forwards': ['10'],
  // SDKs.
  'X-Stainless-Lang': ['js'],
  'X-Goog-Api-Client': ['gl-node/22.19.0 gax/5.0.1'],
  'X-Retry-Count': ['0', '3'],
  'X-Request-Start': ['t=1700000000.123'],
  // Proxies, load balancers and networks of servers.
  'X-Forwarded-For': [
    '203.0.113.7',
    '203.0.113.7, 10.0.0.1',
    '2001:db8::17',
    'unknown',
    '127.0.0.1',
  ],
  'X-Forwarded-Proto': ['https'],
  'X-Real-IP': ['203.0.113.7', '::1'],
  'CF-Connecting-IP': ['198.51.100.9'],
  'CF-IPCountry': ['XX', 'T1'],
  Forwarded: ['for=192.0.2.60;proto=https', 'for="[2001:db8::17]:4711", for=unknown;by=_gateway'],
  Via: ['1.1 proxy.example', '2 edge (Varnish/7.7), 1.1 google'],
  'CDN-Loop': ['cloudflare; loops=1'],
  'X-Forwarded-Client-Cert': ['Hash=468ed33be74eee6556d90c0149c1309e;Subject="CN=client"'],
  // Tracing.
  traceparent: [
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-00000000000000000000000000000001-0000000000000001-00',
    'cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-further',
    'petvet',
  ],
  tracestate: ['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', 'a@b=1'],
  baggage: ['userId=alice,serverNode=DF%2028,isProduction=false', 'key=value;property'],
  b3: ['80f198ee56343ba864fe8b2a57d3eff7-e457b5a2e4d86bd1-1', '0'],
  'sentry-trace': ['4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1'],
  'X-Datadog-Trace-Id': ['1234567890123456789', '18446744073709551615'],
  'X-Amzn-Trace-Id': ['Root=1-67891233-abcdef012345678912345678;Sampled=1'],
  'X-Request-ID': ['petvet', '5f21c09b-7d1e-4b3a-9c55-2f8d3a1b6e70', 'a b', 'x'.repeat(200)],
  'X-Correlation-ID': ['0', '{5F21C09B-7D1E-4B3A-9C55-2F8D3A1B6E70}', "it's 100 % {id}"],
  // Fields of responses, sent back by a client that copies them, and unknown ones.
  'X-RateLimit-Limit': ['1'],
  'X-RateLimit-Remaining': ['0'],
  'X-RateLimit-Reset': ['1', '99999999999'],
  'Retry-After': ['60'],
  'X-Petvet': ['1', 'true', 'null', '{}', '"', 'a, b; c=d', "it's"],
  'x-petvet-lower': ['1'],
  X_Petvet: ['1'],
  'X-Debug': ['1', 'true'],
}

/** The same for a request that has no body of its own: clients send its type all the same. */
export const innocentFieldsOfGet: Fields = {
  ...innocentFields,
  'Content-Type': [
    'application/json',
    'text/plain; charset=iso-8859-1',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=petvet',
    'application/vnd.api+json; version="1"',
    'APPLICATION/XML',
  ],
}

/**
 * What a naive gateway or service takes for a proof of who calls, or for another request: none of
 * it is a key, so the response stays 401 (ruling 13). No method override: OPTIONS needs no key. In
 * packs in which each name is once, whose head no server may refuse as too large.
 */
export const trustedFields: readonly (readonly Header[])[] = [
  [
    ...['X-Forwarded-User: admin', 'X-Remote-User: admin', 'Remote_User: admin'],
    ...['X-Authenticated: true', 'X-Authenticated-User: admin', 'X-Authenticated-Userid: 1'],
    ...['X-Auth-Request-User: admin', 'X-Auth-Request-Email: admin@example.com'],
    ...['X-Consumer-Username: petvet', 'X-Consumer-Custom-ID: 1'],
    ...['X-Credential-Identifier: petvet', 'X-User: admin', 'X-User-Id: 1', 'X-User-Role: admin'],
    ...['X-Role: admin', 'X-Admin: true', 'X-Internal: true', 'X-Internal-Request: true'],
    ...['X-Debug: true', 'X-Plan: enterprise', 'X-Account-Id: 1', 'X-Tenant-Id: 1'],
    ...['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1'],
  ],
  [
    ...['X-Admin: 1', 'X-Internal: 1', 'X-Forwarded-For: 10.0.0.1', 'X-Client-IP: 127.0.0.1'],
    ...['True-Client-IP: 127.0.0.1', 'CF-Connecting-IP: 127.0.0.1', 'X-Originating-IP: 127.0.0.1'],
    ...['X-Custom-IP-Authorization: 127.0.0.1', 'Forwarded: for=127.0.0.1'],
    ...['X-Original-URL: /health', 'X-Rewrite-URL: /health'],
    ...['X-Forwarded-Client-Cert: Hash=00;Subject="CN=admin"', 'X-SSL-Client-Verify: SUCCESS'],
    ...['X-Amzn-Oidc-Identity: admin'],
    ...['X-Goog-Authenticated-User-Email: accounts.google.com:admin@example.com'],
    ...['X-MS-Client-Principal-Name: admin@example.com', 'X-Jwt-Assertion: e30.e30.'],
    ...['X-Petvet-Skip-Auth: 1', 'User-Agent: kube-probe/1.33', 'Referer: http://localhost/admin'],
    ...['Cookie: admin=1; authenticated=true; session=1', 'Sec-Fetch-Site: same-origin'],
    ...['X-Requested-With: XMLHttpRequest'],
  ],
].map((pack) => pack.map((field) => [field.split(': ')[0] ?? '', field.split(': ')[1] ?? '']))
