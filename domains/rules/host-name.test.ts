// What can be registered: an apex is where these end.
import { expect, test } from 'vitest'
import { hostFault, plainHost, registrableDomain } from './host-name.ts'

test.for([
  ['www.example.com', 'example.com'],
  ['example.com', 'example.com'],
  ['a.b.example.co.uk', 'example.co.uk'],
  ['city.kobe.jp', 'city.kobe.jp'],
  ['www.ck', 'www.ck'],
  ['a.b.ck', 'a.b.ck'],
  ['pulse.cio.gov', 'cio.gov'],
  ['project.github.io', 'github.io'],
  ['www.shop.test', 'shop.test'],
  ['www.xn--bcher-kva.de', 'xn--bcher-kva.de'],
  ['co.uk', 'co.uk'],
] as const)('%s: %s', ([host, domain]) => {
  expect(registrableDomain(host)).toBe(domain)
})

test('a joiner is a part of a name in some scripts', () => {
  const persian = '\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com'
  expect([plainHost(persian), hostFault(persian)]).toEqual(['xn--mgba3gch31f060k.com', null])
})
