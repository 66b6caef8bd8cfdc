// What to change in the DNS of a domain, and the question that shows what is wrong there.
import { expect, test } from 'vitest'
import {
  goodRecords,
  host,
  makeFacts,
  makeTable,
  platformAddress,
  platformHost,
  platformRecord,
} from '../../../tests/fakes/fake-domain-facts.ts'
import { record } from '../../demo/zones.ts'
import { judge } from './judge-domain.ts'

const old = '203.0.113.9'
const at = 'seen at 192.0.2.53'
const breachOf = (tables: Parameters<typeof makeFacts>[0], more = {}) =>
  judge(makeFacts(tables, [], more)).find(
    ({ result, check }) => result.kind === 'breach' && check !== 'domain-primary',
  )

test.for([
  [[], `add CNAME www ${platformHost} (${at})`],
  [[`A ${old}`], `remove A ${old} of www; add CNAME www ${platformHost} (${at})`],
  [
    ['CNAME old.example', 'AAAA 2001:db8::9'],
    `remove CNAME old.example, AAAA 2001:db8::9 of www; add CNAME www ${platformHost} (${at})`,
  ],
  [[`CNAME ${platformHost}`, 'MX mail.zoo.example'], `remove MX of www (${at})`],
  [
    [`CNAME ${platformHost}.zoo.example`],
    `remove CNAME ${platformHost}.zoo.example of www; ` +
      `add CNAME www ${platformHost}. (with its final dot) (${at})`,
  ],
] as const)('a subdomain with %j', ([data, fix]) => {
  const records = data.map((each) => record(`${host} ${each}`))
  expect(breachOf([makeTable([platformRecord, ...records])])?.result.fix).toBe(fix)
})

test.for([
  [[], `add ALIAS or ANAME @ ${platformHost} (${at})`, 'A'],
  [[`A ${old}`], `remove A ${old} of @; add ALIAS or ANAME @ ${platformHost} (${at})`, 'A'],
  // Another address of its network may be one of its pool.
  [
    ['A 198.51.100.7', `CNAME ${platformHost}`],
    `remove CNAME ${platformHost} of @ (${at})`,
    'CNAME',
  ],
  [[`A ${platformAddress}`, 'AAAA 2001:db8::9'], `remove AAAA 2001:db8::9 of @ (${at})`, 'AAAA'],
  [
    [`CNAME ${platformHost}`],
    `remove CNAME ${platformHost} of @; add ALIAS or ANAME @ ${platformHost} (${at})`,
    'CNAME',
  ],
] as const)('an apex with %j', ([data, fix, type]) => {
  // A start of authority makes a name an apex.
  const records = [`SOA ns.${host}`, ...data].map((each) => record(`${host} ${each}`))
  const found = breachOf([makeTable([platformRecord, ...records])])
  expect(found?.result.fix).toBe(fix)
  expect(found?.grounds.at(-1)).toMatchObject({ name: host, type })
})

test('the server that still has the old record is named, and the question goes to it', () => {
  const stale = makeTable([platformRecord, record(`${host} A ${old}`)])
  const tables = [makeTable(goodRecords), { ...stale, resolver: '192.0.2.54:5353' }]
  const found = breachOf(tables, { since: '2020-01-01T00:00:00Z' })
  expect(found).toMatchObject({ check: 'domain-propagation' })
  expect(found?.result.actual).toBe(
    `CNAME ${platformHost} at 192.0.2.53; ${old} at 192.0.2.54:5353`,
  )
  expect(found?.result.fix).toBe(
    `remove A ${old} of www; add CNAME www ${platformHost} (seen at 192.0.2.54:5353)`,
  )
  expect(found?.grounds.at(-1)).toMatchObject({ server: '192.0.2.54:5353' })
  // At an unknown time it is no violation, and yet the one to change; a recent change needs time.
  const on = (since: string | null) =>
    judge(makeFacts(tables, [], { since })).find(({ check }) => check === 'domain-propagation')
  expect(on(null)?.result).toMatchObject({ because: 'ambiguous', fix: found?.result.fix })
  expect(on(new Date().toISOString())?.result.fix).toBeUndefined()
})
