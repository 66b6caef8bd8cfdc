// A whole run: its limits, its early end, and targets that send one response to everything.

import { describe, expect, test } from 'vitest'
import { catalogue } from '../../suites/index.ts'
import { always } from '../../tests/plain-checks.ts'
import type { Act, ReceivedRequest } from '../../tests/raw-server.ts'
import {
  detailOf,
  error,
  outcomeOf,
  probesSecondStatus,
  respondValidly,
  vetActs,
  wants200,
} from '../../tests/vet-acts.ts'
import { endingsOf } from '../../tests/vet-reference.ts'
import type { RunFile } from '../check/run-file.ts'
import { decideExitCode } from '../check/verdict.ts'

const idsOf = (run: RunFile) => run.checks.map(({ id }) => id).filter((id) => !/^smoke/.test(id))

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => wants200(`number-${i}`, `/pets?limit=${i + 1}`))

test('every check has one result, in the order of the work, clauses last', async () => {
  const checks = [always(), wants200('late', '/pets', 'time'), ...numbered(2), probesSecondStatus]
  const { run, events } = await vetActs(respondValidly, checks)
  expect(idsOf(run)).toEqual(['apart', 'number-0', 'number-1', 'late', 'always'])
  expect(run.checks.map(({ outcome }) => outcome)).toEqual(Array(6).fill('pass'))
  expect(run).toMatchObject({ verdict: 'conformant', requests: 6, requestsByKey: { 'free-1': 5 } })
  expect(events[0]).toMatchObject({ kind: 'start', seed: 7, checks: 6 })
})

describe('an interrupted run', () => {
  const interruptAt = async (before: number, act: (heard: ReceivedRequest) => Act) => {
    const stop = new AbortController()
    const stopping = (heard: ReceivedRequest, position: number) => {
      if (position === before) stop.abort()
      return act(heard)
    }
    const { signal } = stop
    return vetActs(stopping, [probesSecondStatus, ...numbered(4)], { signal })
  }

  test.for([
    ['between two requests', respondValidly],
    ['while one is under way', () => 'silence' as const],
  ] as const)('%s reports what was done', async ([, last]) => {
    const act = (heard: ReceivedRequest) =>
      heard.path.endsWith('=2') ? last(heard) : respondValidly(heard)
    const { run, heard } = await interruptAt(4, act)
    expect(heard).toHaveLength(5)
    expect(outcomeOf(run, 'number-0')).toBe('pass')
    expect(outcomeOf(run, 'number-1')).toMatch(/^(pass|untested \(interrupted\))$/)
    expect(outcomeOf(run, 'number-3')).toBe('untested (interrupted)')
    expect([run.interrupted, run.impossible, decideExitCode(run)]).toEqual([true, null, 130])
    expect(idsOf(run)).toEqual(['apart', ...numbered(4).map(({ id }) => id)])
  })

  test('in its smoke call has a result for every check', async () => {
    const { run } = await interruptAt(0, () => 'silence')
    expect(idsOf(run)).toHaveLength(5)
    expect(outcomeOf(run, 'number-0')).toBe('untested (interrupted)')
    expect([run.interrupted, run.impossible, decideExitCode(run)]).toEqual([true, null, 130])
  })
})

test('500 to everything fails one requirement, and gets few requests', async () => {
  const { run, heard } = await vetActs(() => error(500), catalogue)
  expect(decideExitCode(run)).toBe(1)
  expect(run.checks.filter(({ outcome }) => outcome === 'fail')).not.toEqual([])
  expect(heard.length).toBeLessThan(400)
})

const twoReads = [wants200('first', '/pets/1'), wants200('second', '/pets?limit=1')]

test('with --bail, nothing is sent after the first failure', async () => {
  const { run, heard } = await vetActs(respondValidly, twoReads, { bail: true })
  expect(endingsOf(run)).toMatchObject({ first: 'fail', second: 'untested interrupted' })
  expect(detailOf(run, 'second')).toContain('ended at the first failure, first (--bail)')
  expect(heard.some(({ path }) => path === '/v1/pets?limit=1')).toBe(false)
  expect([run.bailedBy, run.interrupted, decideExitCode(run)]).toEqual(['first', false, 1])
})

test('a known failure does not end the run', async () => {
  const excused = new Set(['first'])
  const { run } = await vetActs(respondValidly, twoReads, { bail: true, excused })
  expect(endingsOf(run)).toMatchObject({ first: 'fail', second: 'pass' })
  expect(run.bailedBy).toBeUndefined()
})
