// The publishing model follows the rules of the section that happen in the dashboard.
import { expect, test } from 'vitest'
import { createModel } from './publishing-model.ts'
import { record, type Zones } from './zones.ts'

const platformHost = 'sites.publish.example'
const own = '198.51.100.1'
const www = 'www.zoo.co.uk'
const apex = 'zoo.co.uk'
const docs = 'docs.farm.example'

/** What DNS and CAA hold, and what a person does in the dashboard. */
const open = () => {
  const zones: Zones = { apexes: [], records: [] }
  const set = (host: string, ...data: readonly string[]) => {
    const all = [`${platformHost} A ${own}`, ...data.map((each) => `${host} ${each}`)]
    zones.records = all.map((each) => record(each))
  }
  return { set, ...createModel(platformHost, 'ca.example', zones) }
}

test.for([
  [apex, 'ALIAS or ANAME', '@'],
  [www, 'CNAME', 'www'],
  ['a.b.zoo.co.uk', 'CNAME', 'a.b'],
  [docs, 'CNAME', 'docs'],
] as const)('%s is shown a record of type %s, named %s', ([host, type, name]) => {
  const record = { type, name, value: platformHost, ttl: 3600 }
  expect(open().press('add', host)).toEqual({ ok: true, record })
})

test.for([
  [www, [`CNAME ${platformHost}`], true],
  [www, [], false],
  [www, ['CNAME elsewhere.example'], false],
  [www, [`CNAME ${platformHost}`, `A ${own}`], false],
  [www, [`CNAME ${platformHost}`, 'CNAME elsewhere.example'], false],
  [apex, [`A ${own}`], true],
  [apex, [], false],
  [apex, ['A 203.0.113.9'], false],
  [apex, [`A ${own}`, 'A 203.0.113.9'], false],
  [apex, [`CNAME ${platformHost}`, `A ${own}`], false],
] as const)('%s with %j: %s', ([host, data, isRight]) => {
  const { set, press, hasCertificate } = open()
  press('add', host)
  set(host, ...data)
  expect(hasCertificate(host)).toBe(false)
  expect(press('re-verify', host).ok).toBe(isRight)
  expect(hasCertificate(host)).toBe(isRight)
})

test('Verify reads the DNS anew, and an active domain without its DNS is still served', () => {
  const { set, press, hasCertificate } = open()
  press('add', www)
  expect(press('verify', www).ok).toBe(false)
  set(www, `CNAME ${platformHost}`)
  expect(press('verify', www).ok).toBe(true)
  set(www)
  expect(press('verify', www)).toEqual({ ok: false, reason: 'no CNAME record' })
  expect(hasCertificate(www)).toBe(true)
})

test('CAA forbids the certificate; once it is fixed, Re-verify leads to it', () => {
  const { set, press, hasCertificate } = open()
  set(www, 'CAA 0 issue ";"', `CNAME ${platformHost}`)
  press('add', www)
  press('verify', www)
  expect(hasCertificate(www)).toBe(false)
  set(www, `CNAME ${platformHost}`)
  expect(press('re-verify', www).ok).toBe(true)
  expect(hasCertificate(www)).toBe(true)
})

test('a removed domain has no certificate, and it can be added again', () => {
  const { set, press, hasCertificate } = open()
  set(www, `CNAME ${platformHost}`)
  for (const button of ['add', 'verify'] as const) expect(press(button, www).ok).toBe(true)
  expect(press('add', www).ok).toBe(false)
  expect(press('remove', www).ok).toBe(true)
  expect(hasCertificate(www)).toBe(false)
  expect(press('remove', www).ok).toBe(false)
  expect(press('add', www).ok).toBe(true)
})
