// In virtual time: rounds of one process on the same keys, one right after the other. None uses a
// key that it knows to be refused, and each tests what the first one tests.

import { expect, test } from 'vitest'
import type { AnyCheck } from '../../engine/check/declare.ts'
import { Carried } from '../../engine/quota/ledger.ts'
import { withFirst } from '../../engine/run/check-order.ts'
import { runSuites } from '../../engine/run/run.ts'
import { chances } from '../../proof/virtual.ts'
import type { Variant } from '../../reference/variant.ts'
import { catalogue } from '../../suites/index.ts'
import { keyOf, outcomesOf, silent } from '../vet-reference.ts'
import { openVirtually, withoutClock } from './vet.ts'

const keys = [keyOf('free', 'watched'), keyOf('free', 'spare', { use: 'ban' })]

/** The suites of the minute, and a list: what an implementer of a limiter runs. */
const limits = catalogue.filter(
  (check) =>
    check.kind === 'clause' ||
    check.id === 'list-valid-200' ||
    ['limits', 'bans'].includes(check.needs.stage),
)

interface Watched {
  readonly variant?: Variant
  readonly hasClock: boolean
  readonly carried: Pick<Carried, 'open'> | null
  readonly checks: readonly AnyCheck[]
}

const roundsOf = async (number: number, { variant, hasClock, carried, checks }: Watched) => {
  const { time, wires, options } = openVirtually(variant ?? {}, keys, {
    ...withoutClock,
    ...{ hasClock, allow: ['write', 'exhaust', 'ban'], startMs: Date.UTC(2026, 10, 20, 12, 0, 7) },
  })
  const own = { ...options, ...(carried && { carried }) }
  const rounds = []
  for (let at = 0; at < number; at += 1) {
    const statuses: number[] = []
    const exchange = (line: string) => {
      const { check, response } = JSON.parse(line)
      if (check === 'smoke-list-200') statuses.push(response?.status)
    }
    const run = await runSuites(checks, own, { ...silent, exchange }, wires())
    rounds.push({ run, statuses })
  }
  time.stop()
  return rounds
}

/** Of these the last one leaves its key without a request. */
const burst = limits.filter((check) => check.id === 'quota-free')

test.for([
  ['all of the minute', limits, true],
  ['all of the minute', limits, false],
  ['a burst', burst, true],
  ['a burst', burst, false],
] as const)('a key is not used before it is served: %s', async ([, checks, hasClock]) => {
  const carried = new Carried()
  const rounds = await roundsOf(3, { hasClock, carried, checks })
  for (const { run, statuses } of rounds) {
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(run.verdict).toBe('conformant')
    expect(statuses).toEqual([200, 200])
  }
})

test('a key whose state was forgotten gets at most one refused request', async () => {
  const carried = new Carried()
  const [, second] = await roundsOf(2, {
    ...{ hasClock: false, checks: burst },
    carried: {
      open: (...given) => {
        carried.forget()
        return carried.open(...given)
      },
    },
  })
  const refused = second?.statuses.filter((status) => status === 429) ?? []
  expect(refused.length).toBeLessThanOrEqual(1)
  expect(second?.run.verdict).toBe('conformant')
})

/** Once banned a key is banned for an hour. */
const longBan: Variant = {
  handle: (honest) => {
    const banned = new Map<string, Awaited<ReturnType<typeof honest>>>()
    return async (request) => {
      const caller = request.header('authorization') ?? ''
      const response = banned.get(caller) ?? (await honest(request))
      if (!response.body.includes('"key_banned"')) return response
      banned.set(caller, response)
      return { ...response, headers: { ...response.headers, 'Retry-After': '3600' } }
    }
  },
}

test('a key with a long ban is not used, and the round runs without it', async () => {
  const carried = new Carried()
  const watched = { variant: longBan, hasClock: false, carried, checks: limits }
  const [, second] = await roundsOf(2, watched)
  expect(second?.run.notes.join()).toMatch(
    /key free-2 is not used: the key has no requests left for/,
  )
  expect([second?.statuses, second?.run.impossible]).toEqual([[200], null])
})

/** `npm run prove` takes hundreds. */
const orders = Math.ceil(Number(process.env.PETVET_RUNS ?? 30) / 30)

test.for([true, false])(
  'whatever goes first, the outcomes are the same, clock %s',
  async (hasClock) => {
    const outcomesOf = async (first: ReadonlySet<string>) => {
      const [round] = await roundsOf(1, {
        hasClock,
        carried: null,
        checks: withFirst(catalogue, first),
      })
      // Which pets are fetched ten minutes after their creation depends on the order.
      const own = round?.run.checks.filter(({ id }) => id !== 'pet-stays')
      const outcomes = own?.map(({ id, outcome }) => `${id}: ${outcome}`)
      return outcomes?.toSorted()
    }
    const usual = await outcomesOf(new Set())
    const chance = chances(hasClock ? 17 : 18)
    for (let at = 0; at < orders; at += 1) {
      const share = chance()
      const first = catalogue.filter(() => chance() < share).map(({ id }) => id)
      expect(await outcomesOf(new Set(first)), first.join()).toEqual(usual)
    }
  },
)
