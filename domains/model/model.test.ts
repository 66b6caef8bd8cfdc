// The publishing model keeps the rules of the section, and each seeded defect is found.
import { describe, expect, test } from 'vitest'
import { defects } from '../tests/defects.ts'
import { firstBreach } from '../tests/events.ts'
import { createModel } from './model.ts'
import { rules } from './rules.ts'
import { type Platform, type PublishingEvent, usualPolicy } from './state.ts'

const seeds = [1, 2, 3, 4, 5]
const runs = 400

test.for(seeds)('the model keeps every rule, seed %i', (seed) => {
  expect(firstBreach(createModel(rules), seed, runs)).toBeNull()
})

describe('a defect is found at every seed:', () => {
  test.for(Object.entries(defects))('%s', ([, defect]) => {
    const model = createModel({ ...rules, ...defect })
    expect(seeds.filter((seed) => firstBreach(model, seed, runs) === null)).toEqual([])
  })
})

const surroundings = {
  dns: () => ({ cnames: ['sites.publish.example'], addresses: [], platformAddresses: [] }),
  caaAllows: () => true,
}

const platformWith = (policy: Partial<Platform['policy']>): Platform => ({
  nowMs: 0,
  host: 'sites.publish.example',
  zone: 'publish.example',
  policy: { ...usualPolicy, ...policy },
  projects: ['zoo', 'farm'].map((slug) => ({
    slug,
    plan: 'pro',
    deploys: ['ok'],
    domains: [],
    primary: null,
    redirects: [],
  })),
})

const host = 'www.zoo.example'
const activation: readonly PublishingEvent[] = [
  { kind: 'add', slug: 'zoo', host },
  { kind: 'verify', slug: 'zoo', host },
  { kind: 'pass', ms: 120_000 },
  { kind: 'configure', slug: 'zoo', primary: host, redirects: [] },
]

describe('where the rules are silent, a policy decides:', () => {
  const model = createModel(rules)
  const active = (policy: Partial<Platform['policy']>, ...more: PublishingEvent[]) =>
    [...activation, ...more].reduce(
      (platform, event) => model.step(platform, event, surroundings).platform,
      platformWith(policy),
    )

  test.for([
    ['serve', 'serve'],
    ['vanish', 'nothing'],
    ['redirect', 'redirect'],
  ] as const)('the subdomain of an active domain: %s', ([subdomain, kind]) => {
    expect(model.answer(active({ subdomain }), 'zoo.publish.example').kind).toBe(kind)
  })

  test('an active domain whose DNS is gone is served on, though Re-verify refuses it', () => {
    const nowhere = { ...surroundings, dns: () => ({ ...surroundings.dns(), cnames: [] }) }
    const event = { kind: 're-verify', slug: 'zoo', host } as const
    const { platform, reply } = model.step(active({}), event, nowhere)
    expect(reply).toEqual({ ok: false, reason: 'no CNAME record' })
    expect(model.answer(platform, host).kind).toBe('serve')
  })
})
