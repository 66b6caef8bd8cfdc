// In virtual time: legal servers that drew a fail once, each where several circumstances meet.
import { expect, test } from 'vitest'
import { permissions } from '../../engine/check/context.ts'
import { runAt } from '../../proof/conditions.ts'
import { openVirtually, runVirtually } from '../../proof/virtual-run.ts'
import { legalMeters, offset, toTheMillisecond } from '../../reference/legal-meters.ts'
import {
  clockWindow,
  createLimiter,
  dayMs,
  type MakeMeter,
  minuteFirst,
  minuteMs,
  usualBan,
  withBans,
} from '../../reference/limiter.ts'
import { together, type Variant } from '../../reference/variant.ts'
import { dated } from '../../reference/wrappers/middleware.ts'
import { catalogue } from '../../suites/index.ts'
import { keyOf, outcomesOf } from '../vet-reference.ts'
import { beForeign } from './foreign.ts'

/** A limiter with these windows, whose headers are about the minute until the day is spent. */
const limited = (makeMinute: MakeMeter, makeDay: MakeMeter): Variant => ({
  parts: () => ({
    limiter: withBans(
      createLimiter(
        (limit, ms) => (ms === minuteMs ? makeMinute : makeDay)(limit, ms),
        minuteFirst,
      ),
      usualBan,
    ),
  }),
})

/** One Free key spends its day, without a test clock. */
const daysAt = async (server: Variant, startMs: number) => {
  const checks = catalogue.filter(({ kind, id }) => kind === 'clause' || id === 'day-quota')
  const run = await runAt(server, 'oneKey', 7, { startMs, allow: ['exhaust', 'day'] }, checks)
  expect(run.requests).toBeGreaterThan(1_000)
  return outcomesOf(run, 'fail', 'warn', 'error')
}

const start = Date.UTC(2026, 10, 20, 10, 1)

test.each([
  ['Kathmandu', 18, 15],
  ['Eucla', 15, 15],
  ['Chatham', 11, 15],
  ['Chatham in summer', 10, 15],
])('a day ends at midnight in %s, as a run spends it', async (_, hours, minutes) => {
  const endMs = Date.UTC(2026, 10, 20, hours, minutes)
  const zone = offset((hours * 60 + minutes) * minuteMs)
  expect(await daysAt(limited(clockWindow, zone), endMs - 12 * minuteMs)).toEqual([])
})

test('a day that another client began ends as a run spends it', async () => {
  const begun: MakeMeter = (limit, ms) => {
    const meter = toTheMillisecond(limit, ms)
    meter.count(start - dayMs + 4 * minuteMs)
    return meter
  }
  expect(await daysAt(limited(clockWindow, begun), start)).toEqual([])
})

test('replicas whose clocks are apart, and a limiter whose clock is right', async () => {
  const aheads = [0, 12_000, -12_000]
  const replicas = dated(() => {
    let at = 0
    return (ms) => ms + (aheads[at++ % aheads.length] ?? 0)
  })
  const server = together(limited(legalMeters['bucket-reset-next'], clockWindow), replicas)
  const run = await runAt(server, 'oneKey', 7, { skewMs: 10_000 })
  expect(outcomesOf(run, 'fail', 'error')).toEqual([])
})

test('an Enterprise key with as many calls a day as a minute', async () => {
  const quota = { perMinute: 300, perDay: 300 }
  const keys = ['one', 'two'].map((name) => keyOf('enterprise', name, { quota }))
  const world = openVirtually({}, keys, { allow: permissions, hasClock: true })
  const run = await runVirtually(world, catalogue)
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
})

test('headers about two windows in turn, and another client with five calls at once', async () => {
  let calls = 0
  const limiter = () =>
    createLimiter(clockWindow, (minute, day, nowMs) => {
      if (day.look(nowMs).nextAtMs > nowMs) return day
      return minute.look(nowMs).remaining === 0 || calls++ % 2 === 1 ? minute : day
    })
  const server: Variant = { parts: () => ({ limiter: withBans(limiter(), usualBan) }) }
  const foreign = { even: true, crowd: 5, obeys: true, seed: 3, pauseMs: 20_000 }
  const run = await runAt(server, 'oneKey', 47, {
    latency: { minMs: 100, maxMs: 1_200, seed: 47 },
    around: (wires, target, time) => {
      void beForeign(foreign, 'petvet-net-key-free-1-5f21c09b', target, time)
      return wires
    },
  })
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
})
