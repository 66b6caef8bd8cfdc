// The catalogue of checks as a whole: complete, named well, and within its budget.
import { beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '../engine/check/context.ts'
import { type AnyCheck, sendsRequests } from '../engine/check/declare.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import { computeCost, runnableChecks } from '../engine/run/check-order.ts'
import { scenarios } from '../load/scenarios.ts'
import {
  judgedWith,
  type RequirementId,
  requirement,
  requirementIds,
} from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import {
  contractChecks,
  keyOf,
  outcomesOf,
  twoFree,
  type Vetted,
  vetReference,
} from './vet-reference.ts'

const ids = catalogue.map(({ id }) => id)
const verdicts = scenarios.flatMap((scenario) => scenario.verdicts)

const isExcused = (id: RequirementId) => {
  const { untestable, shows } = requirement(id)
  return (untestable ?? shows) !== undefined
}

test('each requirement has a check, or a reason why it has none', () => {
  const checked = new Set(
    [...catalogue, ...verdicts].flatMap((each) => judgedWith(each.requirement)),
  )
  expect(requirementIds.filter((id) => !checked.has(id) && !isExcused(id))).toEqual([])
})

test('no requirement that has a check is called untestable', () => {
  expect(catalogue.filter((check) => isExcused(check.requirement))).toEqual([])
})

test('ids are unique, and state a fact', () => {
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/)
    expect(id).not.toMatch(/should|must|test/)
  }
})

const sending = catalogue.filter(sendsRequests)

const contract = {
  allow: ['write'],
  keys: [keyOf('free', 'one')],
  clockUrl: null,
  descriptionUrl: null,
} as const

test('the contract fits into four minutes of a Free key', () => {
  const cost = computeCost(catalogue, contract)
  expect(cost.keyed).toBeLessThanOrEqual(240)
  expect(cost.anonymous).toBeLessThanOrEqual(130)
})

test('with plenty of requests it may send more', () => {
  const ample = { ...contract, keys: [keyOf('pro', 'one')] }
  expect(computeCost(catalogue, ample).keyed).toBeGreaterThan(
    computeCost(catalogue, contract).keyed,
  )
  expect(computeCost(catalogue, ample).keyed).toBeLessThanOrEqual(360)
  expect(computeCost(catalogue, { ...contract, clockUrl: 'http://clock' }).keyed).toBeGreaterThan(
    240,
  )
})

test('checks that create pets need the permission to write', () => {
  const creating = sending.filter(({ needs }) => ['refusals', 'creations'].includes(needs.stage))
  expect(creating.filter(({ needs }) => !needs.allow?.includes('write'))).toEqual([])
})

test('checks that fetch a pet declare it', () => {
  const fetching = sending.filter(({ requirement }) => /^get\.(?!repl)/.test(requirement))
  const silent = fetching.filter(({ needs }) => !needs.getPet && needs.keyed > 0)
  expect(silent.map(({ id }) => id)).toEqual([])
})

/** The checks of a run that sent more than they declare. */
const overspent = ({ checks }: RunFile, checksOfRun: readonly AnyCheck[]): string[] => {
  const declared = new Map(
    checksOfRun.filter(sendsRequests).map(({ id, needs }) => [id, needs.keyed + needs.anonymous]),
  )
  return checks
    .filter(({ id, requests }) => declared.has(id) && requests > (declared.get(id) ?? 0))
    .map(({ id, requests }) => `${id}: ${requests}, not ${declared.get(id)}`)
}

describe('the contract on the reference, with one Free key', () => {
  let vetted: Vetted
  beforeAll(async () => {
    // By this seed two minutes begin with a request that is served, as a clause needs.
    vetted = await vetReference({}, { allow: ['write'], seed: 8 }, contractChecks)
  })

  test('everything is tested, and nothing fails', () => {
    const { run } = vetted
    const notDecided = outcomesOf(run, 'fail', 'warn', 'error', 'untested', 'inapplicable')
    // Whether a list is late enough depends on the duration of the run.
    const isOpen =
      /no \w+ was refused|no key of the plan|no list was requested a second|of the day|two days/
    expect(notDecided.filter((line) => !isOpen.test(line))).toEqual([])
    expect(run.verdict).toBe('conformant')
    expect(run.decided.must[0]).toBe(run.decided.must[1])
    expect(run.decided.should[0]).toBe(run.decided.should[1])
  })

  // Without a test clock it is 240. Without the walks it is 340.
  test('the key spends at most 880 requests, and 220 go without a valid key', () => {
    const { run } = vetted
    expect(run.requestsByKey['free-1']).toBeLessThanOrEqual(880)
    expect(run.requests - (run.requestsByKey['free-1'] ?? 0)).toBeLessThanOrEqual(220)
  })

  test('no response is a refusal for the quota', () => {
    expect(vetted.lines.filter((line) => JSON.parse(line).response.status === 429)).toEqual([])
  })

  test('no check sends more than it declares, and the plan is what a run spends', () => {
    const options = { allow: ['write'] as const, clockUrl: '', descriptionUrl: '', keys: [] }
    expect(overspent(vetted.run, runnableChecks(catalogue, options))).toEqual([])
    const { keyed, anonymous } = computeCost(catalogue, options)
    expect(keyed + anonymous).toBeGreaterThanOrEqual(vetted.run.requests)
    expect(keyed).toBeLessThanOrEqual(950)
    expect(anonymous).toBeLessThanOrEqual(220)
  })
})

test('with two Free keys no check sends more than declared', async () => {
  const keys = twoFree
  const { run } = await vetReference({ keys }, { keys })
  const options = { allow: permissions, clockUrl: '', descriptionUrl: '', keys }
  expect(overspent(run, runnableChecks(catalogue, options))).toEqual([])
  const { keyed, anonymous } = computeCost(catalogue, options)
  expect(keyed + anonymous).toBeGreaterThanOrEqual(run.requests)
})
