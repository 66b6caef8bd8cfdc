// The catalogue of checks as a whole: complete, and named well.
import { expect, test } from 'vitest'
import { sendsRequests } from '../engine/check/declare.ts'
import { scenarios } from '../load/scenarios.ts'
import {
  judgedWith,
  type RequirementId,
  requirement,
  requirementIds,
} from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'

const ids = catalogue.map(({ id }) => id)
const verdicts = scenarios.flatMap((scenario) => scenario.verdicts)

/** `petvet domains` has the checks of publishing, all but the one of the API. */
const isExcused = (id: RequirementId) =>
  requirement(id).untestable !== undefined || /^publishing\.(?!no-operation)/.test(id)

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

test('checks that create pets need the permission to write', () => {
  const creating = sending.filter(({ needs }) => ['refusals', 'creations'].includes(needs.stage))
  expect(creating.filter(({ needs }) => !needs.allow?.includes('write'))).toEqual([])
})

test('checks that fetch a pet declare it', () => {
  const fetching = sending.filter(({ requirement }) => /^get\.(?!repl)/.test(requirement))
  const silent = fetching.filter(({ needs }) => !needs.getPet && !needs.description)
  expect(silent.map(({ id }) => id)).toEqual([])
})
