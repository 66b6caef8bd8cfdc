// In virtual time: a target without a limiter is detected and not waited for, and still fails its
// limit checks; one whose Remaining is always 0 is not waited for during hours; with --no-wait
// nothing is waited for at any target.
import { expect, test } from 'vitest'
import type { Wires } from '../../engine/http/target-clock.ts'
import { runSuites } from '../../engine/run/run.ts'
import type { RunEvent } from '../../engine/run/run-options.ts'
import { parseObject } from '../../history/json.ts'
import { runAt } from '../../proof/conditions.ts'
import { findSubject, isServer, makeTarget } from '../../proof/subjects.ts'
import {
  clockWindow,
  createLimiter,
  dayMs,
  type MakeMeter,
  minuteFirst,
} from '../../reference/limiter.ts'
import type { Variant } from '../../reference/variant.ts'
import { deciding, limitedBy } from '../../reference/wrappers/rate-limiting.ts'
import { catalogue } from '../../suites/index.ts'
import { keyOf, outcomesOf } from '../vet-reference.ts'
import { openVirtually, vetVariant, withoutClock } from './vet.ts'

const keys = [keyOf('free', 'one')]
const endless = [keyOf('free', 'one', { quota: { perMinute: 1_000_000, perDay: 1_000_000 } })]
const exhausting = { ...withoutClock, allow: ['write', 'exhaust'] } as const

const sendingBy = (
  wires: Wires,
  change: (send: Wires['client']['send']) => typeof send,
): Wires => ({
  ...wires,
  client: { ...wires.client, send: change(wires.client.send) },
})

/** The responses without their rate-limit headers. */
const unlimited = (wires: Wires): Wires =>
  sendingBy(wires, (send) => async (request) => {
    const result = await send(request)
    const headers = (result.response?.headers ?? []).filter(([name]) => !/^x-rate/i.test(name))
    return result.response ? { ...result, response: { ...result.response, headers } } : result
  })

/** A scheme in lower case gets 401, with a valid key too. */
const strictAboutCase = (wires: Wires): Wires =>
  sendingBy(wires, (send) => (request) => {
    const isLower = request.headers.some(([, value]) => value.startsWith('bearer '))
    const headers = request.headers.filter(([name]) => !isLower || !/^authorization$/i.test(name))
    return send({ ...request, headers })
  })

const vet = async (opened: ReturnType<typeof openVirtually>, behind: (wires: Wires) => Wires) => {
  const waits: number[] = []
  const event = (event: RunEvent) => {
    if (event.kind === 'waiting') waits.push(event.ms)
  }
  const sink = { event }
  const options = { ...opened.options, keys }
  const run = await runSuites(catalogue, options, sink, behind(opened.wires()))
  opened.time.stop()
  return { run, waits }
}

test('no limiter: no wait, and its limit checks fail', async () => {
  const { run, waits } = await vet(openVirtually({}, endless, exhausting), unlimited)
  expect(waits.filter((ms) => ms > 10_000)).toEqual([])
  const failed = outcomesOf(run, 'fail').join('\n')
  for (const id of ['header-limit-present', 'quota-free', 'limit-not-late']) {
    expect(failed).toContain(id)
  }
  expect(run.notes.join()).toContain('the target limits nothing')
})

test('no limiter: a 401 for one request with a valid key is not taken for one', async () => {
  const opened = openVirtually({}, endless, exhausting)
  const { run, waits } = await vet(opened, (wires) => strictAboutCase(unlimited(wires)))
  expect(outcomesOf(run, 'warn').join()).toContain('auth-scheme-case-200')
  expect(waits.filter((ms) => ms > 10_000)).toEqual([])
})

/** Clock windows; of the first day others left 30 calls. */
const ofOthers: MakeMeter = (limit, windowMs) => {
  const window = clockWindow(limit, windowMs)
  let used = windowMs === dayMs ? limit - 30 : 0
  const at = (nowMs: number): number => {
    for (; used > 0; used -= 1) window.count(nowMs)
    return nowMs
  }
  return { look: (nowMs) => window.look(at(nowMs)), count: (nowMs) => window.count(at(nowMs)) }
}

test('what others used of the day before a run is no fault, where no header says it', async () => {
  const limiter = () => createLimiter(ofOthers, minuteFirst)
  const two = [keyOf('free', 'one'), keyOf('free', 'two')]
  const { run } = await vetVariant(
    limitedBy(limiter),
    two,
    { ...withoutClock, hasClock: true },
    catalogue,
  )
  expect(outcomesOf(run, 'fail')).toEqual([])
  expect(outcomesOf(run, 'untested').join()).toContain('limit-not-below-quota')
})

/** Such a 401 says besides that no calls remain, as it is about no key. */
const strictAndEmpty = (wires: Wires): Wires =>
  sendingBy(strictAboutCase(wires), (send) => async (request) => {
    const result = await send(request)
    if (result.response?.status !== 401) return result
    const headers = result.response.headers.map(([name, value]): [string, string] => [
      name,
      /-(limit|remaining)$/i.test(name) ? '0' : value,
    ])
    return { ...result, response: { ...result.response, headers } }
  })

test('a scheme that gets 401 with Remaining: 0 is warned of, and taken for no ban', async () => {
  const opened = openVirtually({}, keys, exhausting)
  const { run } = await vet(opened, strictAndEmpty)
  expect(outcomesOf(run, 'fail')).toEqual([])
  expect(outcomesOf(run, 'warn').join()).toContain('auth-scheme-case-200')
  expect(run.checks.filter(({ because }) => because === 'blocked')).toEqual([])
})

test('--no-wait: no wait, no failure, and the rest untested for the budget', async () => {
  const opened = openVirtually({}, keys, { ...exhausting, noWait: true })
  const { run, waits } = await vet(opened, (wires) => wires)
  expect(waits).toEqual([])
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  const left = run.checks.filter(({ because }) => because === 'budget')
  expect(left.length).toBeGreaterThan(50)
  expect(run.verdict).toBe('undecided')
  expect(run.checks.filter(({ outcome }) => outcome === 'pass').length).toBeGreaterThan(50)
  // What nothing is left for leaves nothing open.
  const walks = run.checks.filter(({ id }) => id === 'walk-statuses')
  expect(walks.map(({ outcome }) => outcome)).toEqual(['inapplicable'])
})

test('--max-time: no wait beyond it, no failure, the rest untested for the budget', async () => {
  const opened = openVirtually({}, keys, { ...exhausting, maxTimeMs: 30_000 })
  const { run, waits } = await vet(opened, (wires) => wires)
  expect(waits.filter((ms) => ms >= 30_000)).toEqual([])
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
  expect(run.checks.filter(({ because }) => because === 'budget').length).toBeGreaterThan(50)
  expect(run.notes.join()).toContain('(--max-time)')
})

test('a kind of request that gets no response in time is sent three times', async () => {
  let silent = 0
  const opened = openVirtually({}, keys, { ...withoutClock, allow: ['write'] })
  const { run } = await vet(opened, (wires) =>
    sendingBy(wires, (send) => async (request) => {
      const text = `${request.body ?? ''}`
      if (!text.startsWith('{') || parseObject(text)) return send(request)
      silent += 1
      return { ...(await send(request)), response: null, noResponse: 'timeout' }
    }),
  )
  const failed = outcomesOf(run, 'fail')
  expect(failed.join()).toContain('create-body-truncated-400')
  expect(silent).toBe(3 * failed.length)
  expect(outcomesOf(run, 'untested').join()).toMatch(/got no response twice: no other is sent/)
})

/** Serves, and states each time that nothing remains for two minutes. */
const stingy = deciding((decision, nowMs) => ({
  ...decision,
  remaining: 0,
  resetAtMs: nowMs + 118_000,
}))

test('a run ends soon if each response states that none remains', async () => {
  const where = { ...withoutClock, allow: ['write'] } as const
  const { run, passed } = await vetVariant(stingy, keys, where, catalogue)
  expect(run.impossible).toBeNull()
  const untested = outcomesOf(run, 'untested').filter((line) => line.includes('5 resets in a row'))
  expect(untested.length).toBeGreaterThan(100)
  const lastedMs = (passed.at(-1)?.receivedMs ?? 0) - (passed[0]?.sentMs ?? 0)
  expect(lastedMs).toBeLessThan(20 * 60_000)
})
const suspended = keyOf('pro', 'suspended')

/** A gateway refuses one key with a page of its own, whatever is requested with it. */
const suspending: Variant = {
  handle: (honest) => (request) =>
    request.header('authorization') === `Bearer ${suspended.key}`
      ? { status: 403, headers: { 'Content-Type': 'text/html' }, body: '<p>Suspended</p>' }
      : honest(request),
}

test('what a key that is never served gets says nothing of the server', async () => {
  const where = { ...withoutClock, allow: [] } as typeof withoutClock
  const { run } = await vetVariant(suspending, [...keys, suspended], where, catalogue)
  expect(run.notes.join()).toContain('key pro-1 was refused and is not used')
  expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
})

test('a day without a limit is found where the test clock is hours from our own', async () => {
  const subject = findSubject('day-not-enforced')
  if (!isServer(subject)) throw new Error('it is a server')
  const run = await runAt(makeTarget(subject), 'full', 7, { skewMs: 9.6 * 3_600_000 })
  expect(outcomesOf(run, 'fail').join()).toMatch(
    /fail limit-not-late: .* served in a day after a rest/,
  )
})
