// What `petvet load` is told: what it comes to, and each mistake in one line.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyFolder } from '../tests/e2e/petvet.ts'
import { type LoadFlags, readLoadSettings } from './load-settings.ts'

const none = {
  config: false,
  key: undefined,
  allow: undefined,
  clock: undefined,
  seed: '7',
  'max-requests': undefined,
  timeout: undefined,
  scenario: undefined,
  connections: undefined,
  duration: undefined,
  thresholds: undefined,
  mock: true,
  reference: true,
  out: undefined,
  report: undefined,
  known: undefined,
  strict: undefined,
  verbose: undefined,
  quiet: undefined,
  json: undefined,
} as const

const flags = (given: Partial<LoadFlags>): LoadFlags =>
  ({ ...none, 'base-url': undefined, ...given }) as LoadFlags

const target = { 'base-url': 'http://127.0.0.1:1/v1', key: ['free=a-key-of-a-test'] }

const read = (given: Partial<LoadFlags>, folder = emptyFolder()) =>
  readLoadSettings(flags(given), {}, folder)

const idsOf = (given: Partial<LoadFlags>) => read(given).scenarios.map(({ id }) => id)

describe('the scenarios', () => {
  test('are all but those of hours', () => {
    const all = idsOf({})
    expect(all).toContain('burst')
    expect(all).not.toContain('soak')
    expect(idsOf({ scenario: ['*'] })).toEqual(all)
  })

  test('are those that are named', () => {
    expect(idsOf({ scenario: ['soak', 'b*'] })).toEqual(['backoff', 'burst', 'ban', 'soak'])
  })
})

test('the connections are several where time can be moved, and one number where not', () => {
  expect(read({}).load.connections).toEqual([1, 10, 50, 200])
  expect(read(target).load.connections).toEqual([50])
  const clock = { ...target, clock: 'http://127.0.0.1:2/clock' }
  expect(read(clock).load.connections).toEqual([1, 10, 50, 200])
  expect(read({ connections: '3, 7' }).load.connections).toEqual([3, 7])
})

test('the reference stands beside a target, and not beside itself', () => {
  expect(read({}).withReference).toBe(false)
  expect(read(target)).toMatchObject({ withReference: true, withMock: true })
  expect(read({ ...target, mock: false, reference: false })).toMatchObject({
    withReference: false,
    withMock: false,
  })
})

test('the duration is told in seconds', () => {
  expect(read({}).load.durationMs).toBeNull()
  expect(read({ duration: '1.5' }).load.durationMs).toBe(1_500)
})

describe('a mistake', () => {
  test.for([
    [{ scenario: ['bust'] }, /"bust" matches no scenario; did you mean burst/],
    [{ connections: '0' }, /--connections takes a whole number from 1 to 1000/],
    [{ connections: '1,,2' }, /--connections takes a whole number/],
    [{ connections: Array(21).fill(1).join(',') }, /at most 20 numbers/],
    [{ duration: 'long' }, /--duration takes seconds/],
    [{ thresholds: 'none.yaml' }, /cannot read the thresholds none.yaml: ENOENT/],
    [{ 'max-requests': '0' }, /--max-requests takes/],
    [{ 'base-url': 'http://127.0.0.1:1/v1' }, /no API key/],
    [{ key: ['free=a'] }, /--key needs a base-url/],
    [{ quiet: true, json: true }, /--quiet and --json exclude each other/],
    [{ quiet: true, verbose: true }, /--quiet and --verbose exclude each other/],
  ] as const)('%o is told', ([given, said]) => {
    expect(() => read(given as Partial<LoadFlags>)).toThrow(said)
  })

  test('in the file of thresholds is told with its name', () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'limits.yaml'), 'burst:\n  p98: < 1 ms\n')
    expect(() => read({ thresholds: 'limits.yaml' }, folder)).toThrow(/^limits.yaml: /)
  })

  test('is a proxy, which a load does not pass', () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'petvet.config.yaml'), 'proxy: http://127.0.0.1:3/\n')
    const given = { ...target, config: 'petvet.config.yaml' }
    expect(() => read(given, folder)).toThrow(/does not go through a proxy/)
  })
})

describe('a load goes straight to its target', () => {
  const there = { 'base-url': 'https://api.example/v1', key: ['free=a-key-of-a-test'] }
  const reachOf = (given: Partial<LoadFlags>, environment: Record<string, string>) =>
    readLoadSettings(flags({ ...there, ...given }), environment, emptyFolder()).target?.reach

  test('though the environment names a proxy, and says so', () => {
    const reach = reachOf({}, { HTTPS_PROXY: 'http://proxy.example:3128' })
    expect(reach?.proxyOf(new URL(there['base-url']))).toBeNull()
    expect(reach?.notes).toEqual(['$HTTPS_PROXY is not used: a load goes straight to its target'])
  })

  test('and a proxy that is named is refused', () => {
    const asked = () => reachOf({ proxy: 'http://proxy.example:3128' }, {})
    expect(asked).toThrow('a load does not go through a proxy: leave --proxy out')
    expect(reachOf({ proxy: false }, {})?.notes).toEqual([])
  })
})
