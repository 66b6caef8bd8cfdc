// The publishing model follows the rules of the section, and each seeded defect is found.
import { describe, expect, test } from 'vitest'
import { defects } from '../tests/defects.ts'
import { firstBreach } from '../tests/events.ts'
import { type PublishingEvent, PublishingModel } from './model.ts'
import { rules } from './rules.ts'

const seeds = [1, 2, 3, 4, 5]
const runs = 400

test.for(seeds)('the model follows every rule, seed %i', (seed) => {
  expect(firstBreach(rules, seed, runs)).toBeNull()
})

describe('a defect is found at every seed:', () => {
  test.for(Object.entries(defects))('%s', ([, defect]) => {
    const faulty = { ...rules, ...defect }
    expect(seeds.filter((seed) => firstBreach(faulty, seed, runs) === null)).toEqual([])
  })
})

const host = 'www.zoo.example'
const activation: readonly PublishingEvent[] = [
  { kind: 'deploy', slug: 'zoo', ok: true },
  { kind: 'add', slug: 'zoo', host },
  { kind: 'verify', slug: 'zoo', host },
  { kind: 'pass', ms: 120_000 },
]

test('an active domain without its DNS is still served, and Re-verify refuses it', () => {
  const cnames = ['sites.publish.example']
  const model = new PublishingModel(rules, {
    host: 'sites.publish.example',
    zone: 'publish.example',
    plans: { zoo: 'pro' },
    dns: () => ({ cnames, addresses: [], platformAddresses: [] }),
    caaAllows: () => true,
  })
  for (const event of activation) model.act(event)
  cnames.pop()
  const reply = model.act({ kind: 're-verify', slug: 'zoo', host })
  expect(reply).toEqual({ ok: false, reason: 'no CNAME record' })
  expect(model.respond(host).kind).toBe('serve')
})
