// The settings of `petvet load`, and each mistake in one line.
import { describe, expect, test } from 'vitest'
import { emptyFolder, folderWith } from '../../tests/e2e/petvet.ts'
import { readLoadSettings } from './load.ts'

type Some = Partial<Parameters<typeof readLoadSettings>[0]>

const target = { 'base-url': 'http://127.0.0.1:1/v1', key: ['free=a-key-of-a-test'] }

const read = (given: Some, folder = emptyFolder(), environment = {}) =>
  readLoadSettings(
    { config: false, seed: 7, mock: true, reference: true, ...given },
    environment,
    folder,
  )

const idsOf = (given: Some) => read(given).scenarios.map(({ id }) => id)

test('scenarios of hours run only where they are named', () => {
  const all = idsOf({})
  expect(all).toContain('burst')
  expect(all).not.toContain('soak')
  expect(idsOf({ scenario: ['*'] })).toEqual(all)
  expect(idsOf({ scenario: ['soak', 'b*'] })).toEqual(['backoff', 'burst', 'ban', 'soak'])
})

test('the connections are several where time can be moved, else one number', () => {
  expect(read({}).load.connections).toEqual([1, 10, 50, 200])
  expect(read(target).load.connections).toEqual([50])
  const clock = { ...target, clock: 'http://127.0.0.1:2/clock' }
  expect(read(clock).load.connections).toEqual([1, 10, 50, 200])
  expect(read({ connections: '3, 7' }).load.connections).toEqual([3, 7])
})

test.for<[Some, boolean, boolean]>([
  [{}, true, false],
  [target, true, true],
  [{ ...target, mock: false, reference: false }, false, false],
])('the columns of %j: mock %s, reference %s', ([given, withMock, withReference]) => {
  expect(read(given)).toMatchObject({ withMock, withReference })
})

test('a duration is in seconds', () => {
  expect(read({}).load.durationMs).toBeNull()
  expect(read({ duration: 1.5 }).load.durationMs).toBe(1_500)
})

test.for<[Some, string | RegExp]>([
  [{ scenario: ['bust'] }, /^"bust" matches no scenario of steady, .+; did you mean burst\?$/],
  [{ connections: '0' }, '--connections takes a whole number from 1 to 1000'],
  [{ connections: '1,,2' }, '--connections takes a whole number'],
  [{ thresholds: 'none.yaml' }, /^cannot read the thresholds .*none.yaml: ENOENT$/],
  [{ thresholds: 'limits.yaml' }, /^limits.yaml: /],
  [{ 'base-url': 'http://127.0.0.1:1/v1' }, 'no API key'],
  [{ key: ['free=a'] }, 'no target: give a base URL'],
])('%j is refused', ([given, message]) => {
  const folder = folderWith({
    'limits.yaml': 'burst:\n  p98: < 1 ms\n',
  })
  expect(() => read(given, folder)).toThrow(message)
})

describe('a load goes straight to its target', () => {
  const there = { ...target, 'base-url': 'https://api.example/v1' }
  const environment = { HTTPS_PROXY: 'http://proxy.example:3128' }

  test('though the environment names a proxy, and says so', () => {
    const reach = read(there, emptyFolder(), environment).target?.reach
    expect(reach?.proxyOf(new URL(there['base-url']))).toBeNull()
    expect(reach?.notes).toEqual(['$HTTPS_PROXY is not used: a load goes straight to its target'])
  })

  test('though a flag names one', () => {
    const reach = read({ ...there, proxy: 'http://proxy.example:3128' }).target?.reach
    expect(reach?.notes).toEqual(['--proxy is not used: a load goes straight to its target'])
  })

  test('and says nothing where --no-proxy is given', () => {
    const none = read({ ...there, proxy: false }, emptyFolder(), environment)
    expect(none.target?.reach.notes).toEqual([])
  })
})
