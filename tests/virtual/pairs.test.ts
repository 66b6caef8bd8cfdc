// In virtual time: what one run with a test clock covers of the ordered pairs of kinds of request,
// and what it sends behind the removal.
import { expect, test } from 'vitest'
import { permissions } from '../../engine/check/context.ts'
import { sendsRequests } from '../../engine/check/declare.ts'
import { pairs } from '../../model/pairs.ts'
import { provenQuota } from '../../proof/subjects.ts'
import { openVirtually, runVirtually } from '../../proof/virtual-run.ts'
import { planNames } from '../../spec/plans.ts'
import { catalogue } from '../../suites/index.ts'

const keys = [...planNames, ...planNames].map((plan, at) => ({
  ...{ plan, key: `petvet-pairs-key-${at}-5f21c09b`, quota: provenQuota(plan) },
}))

/** Of those that are not left out. */
const minShare = 0.9

const around = { allow: permissions, maxRequests: 100_000, hasClock: true }

const timeoutMs = 120_000

test('a run with eight keys covers most pairs, and sends valid rows again', {
  timeout: timeoutMs,
}, async () => {
  const lines: { check: string; checks?: readonly string[] }[] = []
  const run = await runVirtually(openVirtually({}, keys, around), catalogue, {
    exchange: (line) => lines.push(JSON.parse(line)),
  })
  expect(run.verdict).toBe('conformant')
  const covered = Object.values(run.pairs ?? {}).reduce((sum, [count]) => sum + count, 0)
  const wanted = pairs.filter(({ leftOut }) => !leftOut).length
  expect(covered / wanted).toBeGreaterThan(minShare)
  const late = lines.filter(({ check }) => /^quota-\w+-after-removal$/.test(check))
  const again = new Set(late.flatMap(({ checks = [] }) => checks))
  const packed = catalogue.filter((check) => sendsRequests(check) && check.pack)
  expect(packed.map(({ id }) => id).filter((id) => !again.has(id))).toEqual([])
})
