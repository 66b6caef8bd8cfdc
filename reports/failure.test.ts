// What a failure shows: its response, requests sent at once, the finding of its headline.
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { CheckResult, Evidence, Finding, RunFile } from '../engine/check/run-file.ts'
import { writeScript } from '../engine/http/curl.ts'
import { text } from '../history/text.ts'
import { failing, sample } from '../tests/print.ts'
import { describeFailure, groupFailures, resending } from './failure.ts'

const [first] = failing.evidence as [Evidence]

describe('the response', () => {
  const headers = [['X-RateLimit-Remaining', '3']] as const
  const response = { status: 200, headers, body: '{"id":1}' }

  const responseLines = (change: Partial<CheckResult>, evidence: Partial<Evidence>) => {
    const result = { ...failing, ...change, evidence: [{ ...first, ...evidence }] }
    const { shown } = describeFailure(sample, result)
    return shown.flatMap(([label, line]) => (label === 'Response' ? [line] : []))
  }

  test.each([
    ['a requirement of the limits', { requirement: 'headers.remaining' }, true],
    ['a finding that names it', { detail: 'no X-RateLimit-Remaining' }, true],
    ['no other', { detail: 'expected 200; got 500' }, false],
  ] as const)('has the quota for %s', (_name, change, has) => {
    const [head = ''] = responseLines(change, { response })
    expect(head.includes('X-RateLimit-Remaining: 3')).toBe(has)
  })

  test('has no body that the finding quotes, and says why there is none', () => {
    expect(responseLines({ actual: text('200 {"id":1}') }, { response })).toHaveLength(1)
    const lost = { response: null, noResponse: 'timeout' } as const
    expect(responseLines({}, lost)).toEqual(['none: timeout'])
  })
})

describe('requests sent at once', () => {
  const together = { others: 7, script: "curl 'a' &\ncurl 'b' &\nwait" }
  const evidence = { ...first, together }
  const run = { ...sample, checks: [{ ...failing, evidence: [evidence] }] } as RunFile

  test('are sent again together, with the key where a run has several', () => {
    expect(resending(run, evidence)).toEqual({
      sent: 'together with 7 other requests',
      commands: ["curl 'a' &", "curl 'b' &", 'wait'],
    })
    expect(resending(run, first)).toEqual({ sent: '', commands: [first.curl] })
    const withKey = { ...first, key: 'free-1' }
    const keys = { ...run, requestsByKey: { 'free-1': 3, 'pro-1': 4 } }
    expect(resending(keys, { ...withKey, together }).sent).toMatch(/^with free-1, together with 7 /)
    expect([resending(run, withKey).sent, resending(keys, first).sent]).toEqual(['', ''])
  })

  test('run at the same time in a shell, equal ones in a loop', () => {
    const script = writeScript(["printf 'a\\n'", "printf 'a\\n'", "printf 'b\\n'"])
    expect(script.split('\n')).toHaveLength(3)
    const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
    expect(printed.trim().split('\n').sort()).toEqual(['a', 'a', 'b'])
  })

  test('are left out beyond what a reader pastes', () => {
    const long = Array.from({ length: 40 }, (_, at) => `curl ${at} ${'x'.repeat(1_000)}`)
    expect(writeScript(long)).toMatch(/\n# \d+ more requests: see exchanges\.ndjson\nwait$/)
  })
})

const cause = {
  ...{ observed: 'POST /pets: 500', explains: [failing.id], show: failing.id },
  requirement: failing.requirement,
}
const [finding] = failing.findings ?? []
const found = { ...finding, expected: text('status 400'), actual: text('500') } as Finding

test.for([
  ['first', [found], {}, first, { detail: 'expected status 400; got 500' }],
  ['further', [found, { ...found, evidence: { ...first, seq: 77 } }], { finding: 1 }, 77, {}],
] as const)('a headline shows what its %s finding saw', ([, findings, which, seen, more]) => {
  const result = { ...failing, actual: text('500 (30 of 173 responses)'), findings }
  const [group] = groupFailures([result], [{ ...cause, ...which }])
  expect(group?.show).toMatchObject({
    ...{ expected: text('status 400'), actual: text('500'), ...more },
    evidence: typeof seen === 'number' ? [{ seq: seen }] : result.evidence,
  })
  expect(group?.others).toEqual([])
})
