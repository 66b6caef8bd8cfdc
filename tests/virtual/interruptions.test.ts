// In virtual time: whatever interrupts a run, it fails nothing that was correct.
import { describe, expect, test } from 'vitest'
import { decideExitCode } from '../../engine/check/verdict.ts'
import { chances } from '../../proof/virtual.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { outcomesOf, twoFree } from '../vet-reference.ts'
import { legalVariant } from './designs.ts'
import type { Mishap } from './interruptions.ts'
import { plainWorlds, type Surrounding, vetVariant, type World, withoutClock } from './vet.ts'

/** Seeds of each interruption; `npm run prove` takes more. */
const runs = Math.min(60, Number(process.env.PETVET_RUNS ?? 1))
const hourMs = 3_600_000

const mishaps: Readonly<Record<string, Mishap>> = {
  'it sleeps for an hour': { kind: 'sleep', ms: hourMs, goesOn: 'all' },
  'it sleeps for an hour on Linux': { kind: 'sleep', ms: hourMs, goesOn: 'wall' },
  'it sleeps for 40 s on Linux': { kind: 'sleep', ms: 40_000, goesOn: 'wall' },
  'its clock is set an hour ahead': { kind: 'set', ms: hourMs },
  'its clock is set an hour back': { kind: 'set', ms: -hourMs },
  'its clock is set 30 s back': { kind: 'set', ms: -30_000 },
  'connections are refused for a while': { kind: 'lost', ms: 8_000, as: 'refused', arrives: false },
  'connections are reset for a while': { kind: 'lost', ms: 8_000, as: 'reset', arrives: true },
  'responses are lost for a while': { kind: 'lost', ms: 12_000, as: 'timeout', arrives: true },
}

/** All that a run on two keys sends, but for its last few requests. */
const maxRequests = 600

const vet = ({ design }: World, hasClock: boolean, mishap: NonNullable<Surrounding['mishap']>) =>
  vetVariant(legalVariant(design), twoFree, { ...withoutClock, hasClock, mishap }, catalogue)

const cases = Object.entries(mishaps).flatMap(([name, what], place) => {
  const chance = chances(place + 1)
  return Array.from({ length: runs }, () => {
    const [design = '', world] = plainWorlds[Math.floor(chance() * plainWorlds.length)] ?? []
    const atRequest = 2 + Math.floor(chance() * maxRequests)
    const hasClock = chance() < 0.2
    const how = `${design}, request ${atRequest}${hasClock ? ', test clock' : ''}`
    return [name, how, { mishap: { what, atRequest }, world: world as World, hasClock }] as const
  })
})

test.each(sample(cases, 6))(
  'nothing is failed, and the run is held to its end, where %s: %s',
  async (_name, _how, { mishap, world, hasClock }) => {
    const { run } = await vet(world, hasClock, mishap)
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(run.impossible).toBeNull()
  },
)

describe('a network that is lost for good', () => {
  const limits = { tries: 6, pausesMs: 30_000, timeoutMs: 5_000 }

  test.each(['refused', 'reset', 'timeout'] as const)('%s: the run ends soon', async (as) => {
    const [, world] = plainWorlds[0] ?? []
    const what = { kind: 'lost', ms: Number.POSITIVE_INFINITY, as, arrives: false } as const
    const { run, passed } = await vet(world as World, false, { what, atRequest: 100 })
    expect(run.impossible).toMatch(/^the target stopped answering at /)
    expect([run.verdict, decideExitCode(run)]).toEqual(['error', 3])
    expect(outcomesOf(run, 'fail', 'warn')).toEqual([])
    const lost = passed.slice(99)
    expect(lost).toHaveLength(1 + limits.tries)
    const tookMs = (lost.at(-1)?.receivedMs ?? 0) - (lost[0]?.sentMs ?? 0)
    expect(tookMs).toBeLessThanOrEqual(limits.pausesMs + (1 + limits.tries) * limits.timeoutMs)
  })
})
