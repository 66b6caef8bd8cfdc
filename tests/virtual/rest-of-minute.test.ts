// In virtual time: without a test clock a walk takes what is left of the minute of each key at the
// end of a run. It waits for nothing, is not refused, and creates nothing without permission.
import { expect, test } from 'vitest'
import type { Permission } from '../../engine/check/context.ts'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { Carried } from '../../engine/quota/ledger.ts'
import { runVirtually } from '../../proof/virtual-run.ts'
import type { Variant } from '../../reference/variant.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { keyOf, outcomesOf, twoFree } from '../vet-reference.ts'
import { legalVariant } from './designs.ts'
import { openVirtually, plainWorlds, vetVariant, withoutClock } from './vet.ts'

const free = [keyOf('free', 'one')]
const pro = [keyOf('pro', 'two')]

interface Sent {
  readonly check: string
  readonly key: string | null
  readonly sentMs: number
  readonly request: { readonly method: string }
  readonly response: { readonly status: number }
}

const vet = async (
  variant: Variant,
  keys: readonly KeyOption[],
  allow: readonly Permission[],
  seed = 7,
) => {
  const sent: Sent[] = []
  const onExchange = (line: string) => sent.push(JSON.parse(line))
  const { run } = await vetVariant(
    variant,
    keys,
    { ...withoutClock, allow, onExchange, seed },
    catalogue,
  )
  const begin = sent.findIndex(({ check }) => check.startsWith('walk-statuses'))
  return { run, before: sent.slice(0, begin), walked: begin < 0 ? [] : sent.slice(begin) }
}

/** For those that are sent one after another. */
const maxMs = 200

test.each(sample(plainWorlds, 6))('nothing waits for a walk at %s', async (_name, { design }) => {
  for (const [keys, allow] of [
    [free, ['write']],
    [twoFree, ['write', 'exhaust', 'ban']],
    [pro, []],
  ] as const) {
    const { run, before, walked } = await vet(legalVariant(design), keys, allow)
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    const endMs = before.at(-1)?.sentMs ?? 0
    expect((walked.at(-1)?.sentMs ?? endMs) - endMs).toBeLessThan(maxMs)
    expect(walked.filter(({ response }) => response.status === 429)).toEqual([])
    const writing = walked.filter(({ request }) => !/GET|HEAD|OPTIONS/.test(request.method))
    if (allow.length === 0) expect(writing).toEqual([])
  }
})

test('a key gives what it has left', async () => {
  const { run, walked } = await vet({}, [...free, ...pro], ['write'], 3)
  expect(walked.map(({ key }) => key)).toContain('pro-1')
  expect(walked.length).toBeGreaterThan(20)
  expect(run.checks.find(({ id }) => id === 'walk-statuses')?.outcome).toBe('pass')
})

test('keys that others use, and a next run in this process, keep what is left', async () => {
  for (const own of [{ shared: true }, { carried: new Carried() }]) {
    const world = openVirtually({}, pro, { ...withoutClock, allow: [] })
    const run = await runVirtually({ ...world, options: { ...world.options, ...own } }, catalogue)
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    const walk = run.checks.find(({ id }) => id === 'walk-statuses')
    expect([walk?.outcome, walk?.requests]).toEqual(['inapplicable', 0])
  }
})
