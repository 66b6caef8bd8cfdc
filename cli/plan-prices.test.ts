// The prices of a plan, and the worked example of the page that derives the least time.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { plans } from '../spec/plans.ts'
import { catalogue } from '../suites/index.ts'
import type { Permission } from '../suites/kit/permission.ts'
import { workMs } from '../suites/kit/quota/key-work.ts'
import type { KeyOption } from '../suites/kit/run-options.ts'
import { pricesOf } from './plan-prices.ts'
import { tellPlan } from './tell-plan.ts'

const page = readFileSync(new URL('../docs/plan.md', import.meta.url), 'utf8')
const number = (pattern: RegExp): number => Number(pattern.exec(page)?.[1])

describe('the example of docs/plan.md', () => {
  const perMinute = number(/`L = (\d+)`/)
  const requests = number(/`N = (\d+)` calls/)
  const resetInMs = number(/`r = (\d+)` s/) * 1_000
  const work = { perMinute, requests, burst: 'after-silence', retries: true } as const
  const from = (ms: number) => workMs(work, { left: perMinute, resetInMs: ms }) / 1_000

  test('is what the arithmetic gives', () => {
    expect(from(resetInMs)).toBe(number(/takes at least (\d+) s/))
    expect(Math.round(from(1))).toBe(number(/; (\d+) s if its first minute is about to end/))
    expect(from(60_000)).toBe(number(/, (\d+) s if it has just begun/))
  })

  test('row by row, by the formulas of the page', () => {
    const rows = [
      ...page.matchAll(/^\| (\d) \| (\d+) \| ([\d.]+) s \| ([\d.]+) s \| (\d) \| (\d+)/gm),
    ]
    const times = rows.map((row) => {
      const [b = 0, calls, spent = 0, burst = 0, after = 0, whole] = row.slice(1).map(Number)
      const r = resetInMs / 1_000
      expect(calls).toBe(perMinute * (1 + b))
      expect(spent).toBe(r + 60 * (b - 1))
      expect(burst).toBe(spent + 78.5)
      expect(after).toBe(Math.max(1, Math.ceil((requests + 1 - perMinute * (1 + b)) / perMinute)))
      const next = r + 60 * Math.ceil((burst - r) / 60)
      expect(whole).toBe(next + 60 * (after - 1))
      return whole
    })
    expect(Math.min(...times.map(Number))).toBe(from(resetInMs))
    expect(rows).toHaveLength(4)
  })
})

const free: KeyOption = { plan: 'free', key: 'a', quota: plans.free }
const pro: KeyOption = { plan: 'pro', key: 'b', quota: plans.pro }
const asking = (keys: readonly KeyOption[], clockUrl: string | null) => ({
  keys,
  allow: ['write', 'exhaust'] satisfies Permission[],
  clockUrl,
  descriptionUrl: null,
})

describe('the prices', () => {
  test('hold the time from now between the least and the greatest', () => {
    const { all, plans: each } = pricesOf(catalogue, asking([free], null), 20_000)
    const { bestMs = 0, nowMs = 0, worstMs = 0 } = all.leastTime ?? {}
    expect(bestMs).toBeLessThan(nowMs)
    expect(nowMs).toBeLessThan(worstMs)
    expect(each).toHaveLength(1)
    expect(each[0]?.dayPercent).toBe(Math.round((1_000 * all.keyed) / 1_000) / 10)
  })

  test('of a suite alone hold what it looks at, which all suites together pay once', () => {
    const { all, suites } = pricesOf(catalogue, asking([free], null), 0)
    const errors = suites.find(({ suite }) => suite === 'errors')
    expect(errors?.keyed).toBeGreaterThan(60)
    expect(suites.reduce((sum, { keyed }) => sum + keyed, 0)).toBeGreaterThan(all.keyed)
  })

  test('are told once for each plan, and for all keys together', () => {
    const keys = [free, { ...free, key: 'c' }, pro]
    const { plans: each } = pricesOf(catalogue, asking(keys, null), 0)
    expect(each.map(({ plan }) => plan)).toEqual(['free', 'pro'])
  })

  test('know no least time where the clock is moved', () => {
    const { all, suites } = pricesOf(catalogue, asking([free], 'http://clock'), 0)
    expect([all, ...suites].filter(({ leastTime }) => leastTime !== null)).toEqual([])
  })

  test('say where --max-requests is too small', () => {
    const prices = pricesOf(catalogue, asking([free], null), 0)
    const told = { target: 'x', allow: [], questions: 9, keys: 1, prices }
    expect(tellPlan({ ...told, maxRequests: 100 })).toContain('(--max-requests) and needs up to')
    expect(tellPlan({ ...told, maxRequests: 5_000 })).not.toContain('--max-requests')
  })
})
