// The publishing model follows each rule of the section.
import { expect, test } from 'vitest'
import type { Plan } from '../../spec/plans.ts'
import { type Button, PublishingModel } from './publishing-model.ts'
import { record, type Zones } from './zones.ts'

const platformHost = 'sites.publish.example'
const own = '198.51.100.1'
const www = 'www.zoo.co.uk'
const apex = 'zoo.co.uk'
const docs = 'docs.farm.example'

/** A project, what DNS and CAA hold, and what a person does in the dashboard. */
const open = (plan: Plan = 'pro') => {
  const zones: Zones = { apexes: [], records: [record(`${platformHost} A ${own}`)] }
  const model = new PublishingModel({
    host: platformHost,
    siteHost: 'zoo.publish.example',
    plan,
    authority: 'ca.example',
    zones,
  })
  const set = (host: string, isReplaced: (type: string) => boolean, ...data: readonly string[]) => {
    const others = zones.records.filter(({ name, type }) => name !== host || !isReplaced(type))
    zones.records = [...others, ...data.map((each) => record(`${host} ${each}`))]
  }
  const setCaa = (host: string, ...caa: readonly string[]) =>
    set(host, (type) => type === 'CAA', ...caa)
  const press = (button: Button, host: string) => model.press(button, host).ok
  const point = (host: string, cnames: readonly string[], addresses: readonly string[] = []) =>
    set(
      host,
      (type) => type !== 'CAA',
      ...cnames.map((cname) => `CNAME ${cname}`),
      ...addresses.map((address) => `A ${address}`),
    )
  const wait = (minutes: number) => model.pass(minutes * 60_000)
  const activate = (host: string) => {
    point(host, [platformHost])
    model.deploy(true)
    expect([press('add', host), press('verify', host)]).toEqual([true, true])
    wait(2)
    expect(model.respond(host)).toBe('project')
  }
  return { model, setCaa, press, point, wait, activate }
}

test.for(['free', 'pro', 'business', 'enterprise'] as const)('a domain is added on %s', (plan) => {
  const { model, press } = open(plan)
  model.deploy(true)
  expect(press('add', www)).toBe(plan !== 'free')
})

test.for([
  [[], false],
  [[false], false],
  [[true], true],
  [[false, true], true],
  [[true, false], true],
] as const)('after deploys that end %j, the project is published: %s', ([deploys, isPublished]) => {
  const { model, press } = open()
  for (const ok of deploys) model.deploy(ok)
  expect(model.respond('zoo.publish.example')).toBe(isPublished ? 'project' : null)
  expect(press('add', www)).toBe(isPublished)
})

test.for([
  [apex, 'ALIAS or ANAME', '@'],
  [www, 'CNAME', 'www'],
  ['a.b.zoo.co.uk', 'CNAME', 'a.b'],
  [docs, 'CNAME', 'docs'],
] as const)('%s is shown a record of type %s, named %s', ([host, type, name]) => {
  const { model } = open()
  model.deploy(true)
  const record = { type, name, value: platformHost, ttl: 3600 }
  expect(model.press('add', host)).toEqual({ ok: true, record })
})

test.for([
  [www, [platformHost], [], true],
  [www, [], [], false],
  [www, ['elsewhere.example'], [], false],
  [www, [platformHost], [own], false],
  [www, [platformHost, 'elsewhere.example'], [], false],
  [apex, [], [own], true],
  [apex, [], [], false],
  [apex, [], ['203.0.113.9'], false],
  [apex, [], [own, '203.0.113.9'], false],
  [apex, [platformHost], [own], false],
] as const)('%s with CNAME %j and addresses %j: %s', ([host, cnames, addresses, isRight]) => {
  const { model, press, point, wait } = open()
  model.deploy(true)
  press('add', host)
  wait(3)
  expect(model.hasCertificate(host)).toBe(false)
  point(host, cnames, addresses)
  expect(press('re-verify', host)).toBe(isRight)
  wait(3)
  expect(model.hasCertificate(host)).toBe(isRight)
})

test('Verify reads the DNS anew, days later too', () => {
  const { model, press, point, wait } = open()
  model.deploy(true)
  press('add', www)
  expect(press('verify', www)).toBe(false)
  wait(49 * 60)
  point(www, [platformHost])
  expect(press('verify', www)).toBe(true)
  point(www, [])
  expect(press('verify', www)).toBe(false)
})

test('an active domain without its DNS is still served, and Re-verify refuses it', () => {
  const { model, press, point, activate } = open()
  activate(www)
  point(www, [])
  expect(model.press('re-verify', www)).toEqual({ ok: false, reason: 'no CNAME record' })
  expect(press('re-verify', docs)).toBe(false)
  expect(model.respond(www)).toBe('project')
})

test('CAA forbids the certificate; once it is fixed, Re-verify leads to it', () => {
  const { model, setCaa, press, point, wait } = open()
  setCaa(www, 'CAA 0 issue ";"')
  point(www, [platformHost])
  model.deploy(true)
  press('add', www)
  press('verify', www)
  wait(31)
  expect(model.respond(www)).toBeNull()
  setCaa(www)
  wait(3)
  expect(model.hasCertificate(www)).toBe(false)
  expect(press('re-verify', www)).toBe(true)
  wait(3)
  expect(model.hasCertificate(www)).toBe(true)
})

test('redirects have the configured status and target, and are refused if they are wrong', () => {
  const { model, activate } = open()
  for (const host of [www, docs]) activate(host)
  const configure = (primary: string, ...redirects: readonly [string, string, number][]) =>
    model.configure(
      primary,
      redirects.map(([from, to, status]) => ({ from, to, status })),
    )
  expect(configure('far.example')).toBe(false)
  expect(configure(www, [www, docs, 301])).toBe(false)
  expect(configure(www, ['far.example', www, 301])).toBe(false)
  expect(configure(www, [docs, www, 301], [docs, apex, 301])).toBe(false)
  expect(configure(www, [docs, www, 200])).toBe(false)
  expect(configure(www, [docs, apex, 308])).toBe(true)
  expect(model.respond(docs)).toEqual({ from: docs, to: apex, status: 308 })
  expect(model.respond(www)).toBe('project')
})

test('a removed domain responds no more, the others as before, and it can be added again', () => {
  const { model, press, activate } = open()
  const other = 'a.b.zoo.co.uk'
  for (const host of [www, docs, other]) activate(host)
  const redirects = [docs, other].map((from) => ({ from, to: www, status: 302 }))
  model.configure(www, redirects)
  expect(press('add', docs)).toBe(false)
  expect(press('remove', docs)).toBe(true)
  expect(model.respond(docs)).toBeNull()
  expect(model.respond(other)).toEqual({ from: other, to: www, status: 302 })
  expect(model.respond(www)).toBe('project')
  expect(press('remove', docs)).toBe(false)
  activate(docs)
})
