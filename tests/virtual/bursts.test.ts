// In virtual time: bursts of which something fails, calls that come back meanwhile, waits that are
// a little too short; each check reports what really happened.
import { expect, test } from 'vitest'
import type { CheckResult } from '../../engine/check/run-file.ts'
import { legalMeters } from '../../reference/legal-meters.ts'
import { createLimiter } from '../../reference/limiter.ts'
import type { ApiResponse } from '../../reference/message.ts'
import type { Variant } from '../../reference/variant.ts'
import { idsOf, keyOf, limitChecks, outcomesOf, twoFree } from '../vet-reference.ts'
import { lateByChance, type Surrounding, vetVariant } from './vet.ts'

const usual = lateByChance
/** So slow that a call of a bucket comes back in the burst. */
const slow: Surrounding = { ...usual, latency: { minMs: 700, maxMs: 900, seed: 5 } }

const vet = async (variant: Variant, keys = twoFree, surrounding = usual, checks = limitChecks) => {
  const allow = ['write', 'exhaust', 'ban'] as const
  const { run } = await vetVariant(variant, keys, { ...surrounding, allow }, checks)
  expect(outcomesOf(run, 'error')).toEqual([])
  const found = (id: string) => run.checks.find((each) => each.id === id) as CheckResult
  const failed = idsOf(run, 'fail')
  return { failed, found }
}

const bucket: Variant = {
  parts: () => ({ limiter: createLimiter(legalMeters['bucket-reset-full']) }),
}

/** Replaces some responses of an otherwise valid server. */
const failing = (
  isMeant: (count: number) => boolean,
  change: (response: ApiResponse) => ApiResponse,
  before: boolean,
): Variant => ({
  handle: (honest) => {
    let calls = 0
    return async (request) => {
      calls += 1
      if (!isMeant(calls)) return honest(request)
      const broken = { status: 500, headers: {}, body: '' }
      return change(before ? broken : await honest(request))
    }
  },
})

const asFailure = (response: ApiResponse): ApiResponse => ({
  ...response,
  status: response.status === 429 ? 429 : 500,
  body: '{"code":"crashed","message":"Something went wrong.","status":500}',
})

const ofLimits = /^(quota-|retry-|isolation-|window-|refus|limit-|ban-)/

test.for([
  ['and counts them', false],
  ['and does not count them', true],
] as const)('a server that fails in a burst now and then, %s, is limited', async ([, before]) => {
  for (const each of [7, 23, 41]) {
    const { failed, found } = await vet(failing((calls) => calls % each === 0, asFailure, before))
    // A failure may fall on the very refusal, which is then no 429.
    const isOfRefusal = (id: string) => /429/.test(id) && /\b500\b/.test(found(id).detail)
    expect(failed.filter((id) => ofLimits.test(id) && !isOfRefusal(id))).toEqual([])
  }
})

/** The first call of a key after a refusal gets 500, and no refusal is a ban. */
const failingAfterRefusals = (retryAfterSeconds?: number): Variant => ({
  handle: (honest) => {
    const refused = new Set<string | undefined>()
    return async (request) => {
      const key = request.header('authorization')
      const response = await honest(request)
      if (response.status !== 429) return refused.delete(key) ? asFailure(response) : response
      refused.add(key)
      const stated = { 'Retry-After': String(retryAfterSeconds) }
      return { ...response, headers: { ...response.headers, ...(retryAfterSeconds && stated) } }
    }
  },
})

test.for([
  ['in real time', false, undefined],
  ['with a test clock', true, undefined],
  ['with a long wait and a test clock', true, 90],
] as const)('an error after a wait is no ban, %s', async ([, hasClock, seconds]) => {
  const { found } = await vet(failingAfterRefusals(seconds), twoFree, { ...usual, hasClock })
  expect(found('ban-only-after-refusals').outcome).not.toBe('fail')
})

test('a server whose bodies are cut now and then is limited', async () => {
  const cut = (response: ApiResponse) =>
    response.status === 200 ? { ...response, body: response.body.slice(0, -1) } : response
  const { failed } = await vet(failing((calls) => calls % 19 === 0, cut, false))
  expect(failed.filter((id) => ofLimits.test(id))).toEqual([])
})

/** A bucket as large as its minute that is full again within a few seconds. */
const quickBucket: Variant = {
  parts: () => ({
    limiter: createLimiter((limit, windowMs) =>
      legalMeters['bucket-reset-full'](limit, windowMs === 60_000 ? 3_000 : windowMs),
    ),
  }),
}

const business = [keyOf('business', 'one')]

test('calls that come back as fast as they are sent end in no error', async () => {
  const { found } = await vet(quickBucket, business, slow, quotas)
  expect(['fail', 'untested']).toContain(found('quota-business').outcome)
  const late = { ...slow, latency: { minMs: 1_400, maxMs: 1_600, seed: 5 } }
  const legal = await vet(bucket, business, late, quotas)
  expect(legal.failed).toEqual([])
})

/** Without the clauses, which read all responses. */
const quotas = limitChecks.filter(({ id }) => /^quota-/.test(id))
