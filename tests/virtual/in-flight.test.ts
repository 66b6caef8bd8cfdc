// In virtual time: where a response takes long the values of rows are sent several at a time, and
// nothing is found that is not found one by one.
import { expect, test } from 'vitest'
import { sendsRequests } from '../../engine/check/declare.ts'
import { runSuites } from '../../engine/run/run.ts'
import { runAt } from '../../proof/conditions.ts'
import { isServer, listAlarms, makeTarget, subjects } from '../../proof/subjects.ts'
import { mutants } from '../../reference/mutants.ts'
import type { Variant } from '../../reference/variant.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { keyOf } from '../vet-reference.ts'
import { openVirtually, withoutClock } from './vet.ts'

const rows = catalogue.filter((check) => !sendsRequests(check) || check.values !== undefined)

/** @param latencyMs of a response */
const vet = async (server: Variant, latencyMs: number) => {
  const latency = { minMs: latencyMs / 2, maxMs: latencyMs / 2, seed: 1 }
  const world = openVirtually(server, [keyOf('business', 'one')], { ...withoutClock, latency })
  const wires = world.wires()
  let [inFlight, most] = [0, 0]
  const send: typeof wires.client.send = async (request) => {
    inFlight += 1
    most = Math.max(most, inFlight)
    return wires.client.send(request).finally(() => {
      inFlight -= 1
    })
  }
  const client = { ...wires.client, send }
  const run = await runSuites(rows, world.options, { event: () => {} }, { ...wires, client })
  const ms = world.time.now()
  world.time.stop()
  const outcomes = run.checks.map(({ id, outcome }) => `${outcome} ${id}`)
  return { outcomes, most, ms, requests: run.requests }
}

test('eight are in flight where a response takes more than 20 ms, and find the same', async () => {
  const [near, far] = [await vet({}, 20), await vet({}, 100)]
  expect([near.most, far.most]).toEqual([1, 8])
  expect(far.outcomes).toEqual(near.outcomes)
  expect(near.ms).toBeGreaterThan(0.95 * near.requests * 20)
  expect(far.ms).toBeLessThan(0.25 * far.requests * 100)
  expect(await vet({}, 100)).toEqual(far)
})

test('what is found of refusals with another status is what is found one by one', async () => {
  const mutant = mutants.find(({ id }) => id === 'error-401-as-403') ?? {}
  expect((await vet(mutant, 100)).outcomes).toEqual((await vet(mutant, 20)).outcomes)
})

const legal = subjects.filter(isServer).filter(({ kind }) => kind === 'legal')

test.each(sample(legal, 160).map((server) => [server.id, server] as const))(
  'where a response takes 200 ms nothing is wrong with %s',
  { timeout: 300_000 },
  async (_, server) => {
    const latency = { minMs: 100, maxMs: 100, seed: 1 }
    expect(listAlarms(server, await runAt(makeTarget(server), 'full', 7, { latency }))).toEqual([])
  },
)
