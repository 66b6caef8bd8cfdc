// In virtual time: a run sends nothing that needs a permission which it was not given, whatever the
// server; judged by what passed over the wire, and not by what the checks declare.
import { describe, expect, test } from 'vitest'
import { subjects } from '../../cli/proving/subject.ts'
import { type Permission, permissions } from '../../engine/context.ts'
import type { Variant } from '../../reference/compose.ts'
import { plans } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'
import { isProof, sample } from '../sample.ts'
import { chances } from './chance.ts'
import { surroundings } from './surroundings.ts'
import { legalVariant } from './target.ts'
import { trespasses } from './trespass.ts'
import { vetVariant } from './vet.ts'
import { plainWorlds } from './worlds.ts'

const free = (name: string) =>
  ({ plan: 'free', key: `virtual-${name}`, quota: plans.free }) as const
const small = {
  plan: 'enterprise',
  key: 'virtual-small',
  quota: { perMinute: 40, perDay: 400 },
} as const

/** One key; two of a plan, of which one is for bans; and a day that is smaller than the work. */
const keySets = {
  'one key': [free('one')],
  'two keys': [free('one'), free('two')],
  'a small day': [small],
} as const

interface Server {
  readonly does: string
  readonly variant: Variant
  readonly isLegal: boolean
}

const limited = subjects.filter(({ suite }) => suite === 'limits' || suite === 'days')

const servers: readonly Server[] = [
  ...plainWorlds.map(([does, { design }]) => ({
    does,
    variant: legalVariant(design),
    isLegal: true,
  })),
  ...limited.map(({ id, variant, kind }) => ({ does: id, variant, isLegal: kind === 'legal' })),
]

/** Every subset of the permissions. */
const subsets: readonly (readonly Permission[])[] = Array.from({ length: 16 }, (_, mask) =>
  permissions.filter((_permission, at) => (mask >> at) % 2 === 1),
)

const cases = subsets.flatMap((allow) =>
  servers.flatMap((server) =>
    Object.entries(keySets).flatMap(([which, keys]) =>
      [true, false].map((hasClock) => ({ allow, server, which, keys, hasClock })),
    ),
  ),
)

/** A random one of every fourth subset. */
const sampled = () => {
  const chance = chances(11)
  return sample(subsets, 4).map((allow) => {
    const own = cases.filter((each) => each.allow === allow)
    return own[Math.floor(chance() * own.length)] as (typeof cases)[number]
  })
}

/** Every seventh of twelve thousand. */
const proven = () => cases.filter((_, at) => at % 7 === 0)

const chosen = (isProof ? proven() : sampled()).map(
  (each) =>
    [
      `${each.allow.join() || 'reads only'}: ${each.server.does}, ${each.which}, ` +
        `${each.hasClock ? 'with' : 'without'} a clock`,
      each,
    ] as const,
)

describe('nothing is sent without its permission', () => {
  test.each(chosen)('%s', async (_name, { allow, server, keys, hasClock }) => {
    const where = surroundings['no test clock']
    if (!where) throw new Error('no such surroundings')
    const { run, passed } = await vetVariant(
      server.variant,
      keys,
      { ...where, hasClock, allow },
      catalogue,
    )
    expect(passed.length).toBeGreaterThan(30)
    expect(run.impossible).toBeNull()
    expect(trespasses(passed, keys, allow, server.isLegal)).toEqual([])
  })
})

test('a run with every permission is found to need each of them', async () => {
  const where = surroundings['no test clock']
  if (!where) throw new Error('no such surroundings')
  const keys = keySets['two keys']
  const { passed } = await vetVariant({}, keys, { ...where, hasClock: true }, catalogue)
  const found = (allow: readonly Permission[]) => trespasses(passed, keys, allow, true).join('\n')
  expect(found([])).toContain('POST without write')
  expect(found(['write', 'ban', 'day'])).toContain('was driven to a 429')
  expect(found(['write', 'exhaust', 'day'])).toMatch(/ms early/)
  expect(found(['write', 'exhaust', 'ban'])).toContain('in the day up to')
  expect(found(permissions)).toBe('')
})
