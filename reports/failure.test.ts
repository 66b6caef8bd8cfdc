// What a failure shows: response, requests sent at once.

import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { CheckResult, Evidence, Finding, RunFile } from '../engine/check/run-file.ts'
import { writeScript } from '../engine/http/curl.ts'
import { text } from '../history/text.ts'
import { asText, failing, sample, write } from '../tests/print.ts'
import { describeFailure, groupFailures, resending } from './failure.ts'

const [first] = failing.evidence as [Evidence]

const failureWith = (
  change: Partial<CheckResult>,
  evidence: Partial<Evidence> = {},
): CheckResult => ({
  ...failing,
  ...{ expected: text('status 200'), actual: text('status 500'), detail: 'expected 200; got 500' },
  ...change,
  evidence: [{ ...first, ...evidence }],
})

const responseLines = (result: CheckResult): string[] =>
  describeFailure(sample, result).shown.flatMap(([label, text]) =>
    label === 'Response' ? [text] : [],
  )

describe('the response', () => {
  const response = {
    status: 200,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-RateLimit-Remaining', '3'],
      ['Server', 'x'],
      ['Allow', 'a'.repeat(500)],
    ],
    body: 'b'.repeat(1_000),
  } as const

  test('has its status, the headers that matter, and the beginning of its body', () => {
    const [head = '', body = ''] = responseLines(failureWith({}, { response }))
    expect(head).toMatch(/^200, Content-Type: application\/json, Allow: a{120}…$/)
    expect(body).toBe(`${'b'.repeat(300)}… (1000 bytes)`)
  })

  test.each([
    ['a requirement of the limits', { requirement: 'headers.remaining' }],
    ['a finding that names it', { detail: 'no X-RateLimit-Remaining' }],
  ] as const)('has the quota for %s', (_name, change) => {
    expect(responseLines(failureWith(change, { response }))[0]).toContain(
      'X-RateLimit-Remaining: 3',
    )
  })

  test('has no body that the finding quotes, and says why there is none', () => {
    const quoted = failureWith(
      { actual: text('200 {"id":1}') },
      { response: { ...response, body: '{"id":1}' } },
    )
    expect(responseLines(quoted)).toHaveLength(1)
    expect(responseLines(failureWith({}, { response: null, noResponse: 'timeout' }))).toEqual([
      'none: timeout',
    ])
  })
})

describe('requests sent at once', () => {
  const together = { others: 7, script: "curl 'a' &\ncurl 'b' &\nwait" }
  const evidence = { ...first, together }
  const run: RunFile = { ...sample, checks: [{ ...failing, evidence: [evidence] }] }

  test('are a script, and say how many they are', () => {
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

  test.each(['html', 'markdown', 'junit'])('are in %s', (name) => {
    const text = write(name, run)
    expect(text.replaceAll('&amp;', '&')).toMatch(/^ *(?:<pre><code>)?curl .* &$/m)
    expect(text).toMatch(/sent together with 7 other requests/i)
  })

  test('are in the terminal, one line each', () => {
    const text = asText(run, { columns: 80 })
    expect(text).toContain(
      '  Sent      together with 7 other requests; this script sends all of them:',
    )
    expect(text).toContain("  Request   curl 'a' &\n            curl 'b' &\n            wait\n")
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

test('a headline shows what its finding saw, without the totals of the check', () => {
  const finding = {
    ...failing.findings?.[0],
    expected: text('status'),
    actual: text('no status'),
  } as Finding
  const result = {
    ...failing,
    actual: text('no status (30 of 173 responses)'),
    findings: [finding],
  }
  const cause = { observed: 'A 404 has no status', explains: [result.id], show: result.id }
  const [group] = groupFailures([result], [{ ...cause, requirement: result.requirement }])
  expect(group?.show).toMatchObject({
    ...{
      expected: text('status'),
      actual: text('no status'),
      detail: 'expected status; got no status',
    },
    evidence: result.evidence,
  })
})

test('a headline about a further finding shows the exchange of that one', () => {
  const [finding] = failing.findings ?? []
  const evidence = { ...first, seq: 77 }
  const further = {
    ...finding,
    expected: text('status 400'),
    actual: text('500'),
    evidence,
  } as Finding
  const result = { ...failing, findings: [further, further] }
  const [group] = groupFailures(
    [result],
    [
      {
        ...{ observed: 'POST /pets: 500', explains: [result.id], show: result.id, finding: 1 },
        requirement: result.requirement,
      },
    ],
  )
  expect(group?.show).toMatchObject({
    expected: text('status 400'),
    actual: text('500'),
    evidence: [evidence],
  })
  expect(group?.others).toEqual([])
})
