// Which run of a folder is read, and what failed in it, as `--failed` runs it again.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandGiven } from '../../config/given-keys.ts'
import type { CheckResult, Evidence, Finding } from '../../engine/check/run-file.ts'
import { text } from '../../history/text.ts'
import { folderWith, folderWithRuns } from '../../tests/e2e/petvet.ts'
import { failing, sample } from '../../tests/print.ts'
import type { CheckFlags } from '../flags.ts'
import { comparedWith, newestRunIn, readFailed, sentFirst } from './earlier-run.ts'

const one: CheckResult = { ...failing, findings: [], evidence: [], id: 'list-valid-200' }

const runWith = (...checks: CheckResult[]): string => {
  const folder = join(folderWithRuns(['run']), 'run')
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...sample, checks }))
  return folder
}

test('what failed is selected, with the seed of its run', () => {
  const passed: CheckResult = { ...one, id: 'list-limit-most', outcome: 'pass' }
  const unknown: CheckResult = { ...one, id: 'of-another-version' }
  const found = readFailed({}, runWith(one, passed, unknown))
  expect(found).toMatchObject({ failed: [one], flags: { only: [one.id], seed: sample.seed } })
  expect(readFailed({ seed: 3 }, runWith(one)).flags.seed).toBe(3)
})

const { durationMs: _, ...clauseOnly } = one
const shownBy = (...checks: string[]): CheckResult => ({
  ...clauseOnly,
  id: 'pet-fields',
  evidence: checks.map((check) => ({ ...(failing.evidence[0] as Evidence), check })),
})

test('a violated clause takes the rows that violated it', () => {
  const { failed, flags } = readFailed({}, runWith(one, shownBy('list-limit-most', 'control')))
  expect(failed.map(({ id }) => id)).toEqual([one.id, 'pet-fields'])
  expect(flags.only).toEqual([one.id, 'pet-fields', 'list-limit-most'])
})

test('what needs the history of a whole run is named, and left out', () => {
  const missing: Finding = {
    aspect: 'behaviour',
    kind: 'a pet is missing',
    ...{ operations: ['GET /pets'], conditions: [], status: 200, times: 1, judged: 1 },
    ...{ expected: text('it'), actual: text('none'), exchanges: [1] },
  }
  const found = readFailed({}, runWith(one, { ...one, id: 'list-limit-most', findings: [missing] }))
  expect(found.flags.only).toEqual([one.id])
  expect(found.says).toContain('; only a whole run can show list-limit-most')
  const { failed, leftOut } = found
  expect(comparedWith(failed, leftOut, { checks: [{ ...one, outcome: 'pass' }] })).toEqual({
    isFixed: false,
    line: '1 of 2 failures fixed; only a whole run can show: list-limit-most',
  })
})

describe('a run is repeated as it was given', () => {
  const given = {
    'base-url': sample.target.baseUrl,
    ...{ allow: ['write', 'ban'], wait: false, bail: true, proxy: false as const },
    ...{ 'max-requests': 90, timeout: 2.5, ca: 'ca.pem' },
  }
  const folderOf = (more: CheckFlags) => {
    const folder = runWith(one)
    const command = commandGiven('check', { ...given, ...more }, null)
    const run = { ...sample, checks: [one], command }
    writeFileSync(join(folder, 'run.json'), JSON.stringify(run))
    return folder
  }

  test('with its flags but for those of its output, and keys by the names of variables', () => {
    const folder = folderOf({ key: ['free=$MINE', 'pro=typed-key'], skip: ['list'], out: 'there' })
    const { bail: _, ...flags } = given
    const kept = { ...flags, key: ['free=$MINE', 'pro=$PETVET_KEY'], skip: ['list'] }
    const own = { seed: sample.seed, only: [one.id] }
    expect(readFailed({}, folder).flags).toEqual({ ...kept, ...own })
    expect(readFailed({ wait: true }, folder).flags).toMatchObject({ wait: true, ...own })
  })

  test('unless a flag is given anew', () => {
    const again = { key: ['free=$OTHER'], wait: true }
    expect(readFailed(again, folderOf({ key: ['free=$MINE'] })).flags).toMatchObject(again)
  })

  test('at its address, where keys are given anew and no configuration is read', () => {
    const again = { key: ['free=$OTHER'], config: false as const }
    const { flags } = readFailed(again, folderOf({ key: ['free=$MINE'], 'base-url': undefined }))
    expect(flags).toMatchObject({ ...again, 'base-url': sample.target.baseUrl })
  })

  test('and never with its keys at another address', () => {
    const other = { 'base-url': 'http://127.0.0.1:9/v2' }
    const { flags } = readFailed(other, folderOf({ key: ['free=$MINE'] }))
    expect(flags).toEqual({ ...other, only: [one.id], seed: sample.seed })
  })
})

test('where there is no run is refused', () => {
  expect(() => readFailed({}, '/nowhere')).toThrow('there is no run')
})

test('a run that tested nothing is refused', () => {
  const untested = { ...one, outcome: 'untested' as const }
  expect(() => readFailed({}, runWith(untested))).toThrow('nothing was tested')
})

describe('fixed', () => {
  const failed = ['a', 'b', 'c'].map((id) => ({ ...one, id }))
  const as = (...outcomes: CheckResult['outcome'][]) => ({
    checks: outcomes.map((outcome, at) => ({ ...one, id: failed[at]?.id ?? '', outcome })),
  })

  test('is named with what is new', () => {
    const now = as('pass', 'pass', 'pass').checks
    const { line, isFixed } = comparedWith(failed, [], { checks: [...now, { ...one, id: 'd' }] })
    expect([line, isFixed]).toEqual(['3 of 3 failures fixed; new: d', true])
  })

  test('is only what passes', () => {
    expect(comparedWith(failed, [], as('pass', 'pass', 'pass'))).toEqual({
      isFixed: true,
      line: '3 of 3 failures fixed',
    })
    expect(comparedWith(failed, [], as('pass', 'fail'))).toEqual({
      isFixed: false,
      line: '1 of 3 failures fixed; left: b; not tested again: c',
    })
  })

  test('is a clause only where its request was sent again and judged', () => {
    const request = { ...(failing.evidence[0] as Evidence), check: 'list-limit-most' }
    const clause = { ...one, id: 'pet-fields', evidence: [request] }
    const judgedAfter = (outcome: CheckResult['outcome']) => {
      const [sender, judge] = as(outcome, 'pass').checks as [CheckResult, CheckResult]
      const checks = [
        { ...sender, id: 'list-limit-most' },
        { ...judge, id: clause.id },
      ]
      return comparedWith([clause], [], { checks }).line
    }
    expect(judgedAfter('pass')).toBe('1 of 1 failure fixed')
    const left = '0 of 1 failure fixed; not tested again: pet-fields'
    const known = `${left}; new: list-limit-most`
    expect([judgedAfter('untested'), judgedAfter('fail')]).toEqual([left, known])
    expect([...sentFirst([clause])]).toEqual(['pet-fields', 'list-limit-most'])
  })
})

/** Runs that were written one after the other. */
const folderOf = (...names: string[]): string => {
  const files = names.map((name) => `${name}/run.json`)
  const folder = folderWith(Object.fromEntries(files.map((file) => [file, '{}'])))
  for (const [at, file] of files.entries()) utimesSync(join(folder, file), 1_000 + at, 1_000 + at)
  return folder
}

test('of a folder of runs the one that was written last is read, whatever it is called', () => {
  const folder = folderOf('c', 'a', 'b')
  mkdirSync(join(folder, 'z-without-a-run'))
  const newest = newestRunIn(folder)
  expect(newest?.place).toBe(join(folder, 'b'))
  expect(newest?.says).toBe(`${folder} holds 3 runs; the newest is ${join(folder, 'b')}`)
})

test('of the rounds of --watch the last one is read', () => {
  const folder = folderOf('a', 'b/1', 'b/2')
  expect(newestRunIn(folder)?.place).toBe(join(folder, 'b/2'))
})

test('no run is read if the folder is a run itself, or has no runs', () => {
  const folder = folderOf('a')
  expect(newestRunIn(join(folder, 'a'))).toBeUndefined()
  expect(newestRunIn(join(folder, 'a', 'run.json'))).toBeUndefined()
  expect(newestRunIn(join(folder, 'gone'))).toBeUndefined()
  expect(newestRunIn(folderOf())).toBeUndefined()
})
