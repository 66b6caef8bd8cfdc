// The programmatic face: its events, its run file, and how a run is ended early.
import { describe, expect, onTestFinished, test } from 'vitest'
import { UsageError, type VetOptions, vet } from './index.ts'
import { startReference } from './reference/start.ts'

const key = 'petvet-test-key-face'

const started = async (): Promise<VetOptions> => {
  const { url, clockUrl, close } = await startReference({
    keys: [{ plan: 'free', key }],
    store: 'memory',
    port: 0,
    clockPort: 0,
    onFault: (fault) => {
      throw fault
    },
  })
  onTestFinished(close)
  return {
    target: url,
    keys: [{ plan: 'free', key }],
    only: ['list'],
    seed: 7,
    ...(clockUrl !== null && { clock: clockUrl }),
  }
}

test('tells each outcome as it falls, and all of them at the end', async () => {
  const vetting = vet(await started())
  const told: string[] = []
  for await (const event of vetting) if (event.kind === 'result') told.push(event.result.id)
  const run = await vetting.run
  expect(run).toMatchObject({ seed: 7, impossible: null, interrupted: false })
  expect(run.checks.length).toBeGreaterThan(10)
  expect(told.toSorted()).toEqual(run.checks.map(({ id }) => id).toSorted())
})

test('ends without its events being read', async () => {
  const run = await vet({ ...(await started()), only: ['list-sound-200'] }).run
  expect(run.checks).toContainEqual(
    expect.objectContaining({ id: 'list-sound-200', outcome: 'pass' }),
  )
})

test('leaving the loop interrupts the run', async () => {
  const vetting = vet(await started())
  for await (const event of vetting) if (event.kind === 'result') break
  const run = await vetting.run
  expect(run.interrupted).toBe(true)
  expect(run.checks.some(({ because }) => because === 'interrupted')).toBe(true)
})

test('its signal interrupts the run', async () => {
  const ending = new AbortController()
  const vetting = vet({ ...(await started()), signal: ending.signal })
  for await (const event of vetting) if (event.kind === 'result') ending.abort()
  expect(await vetting.run).toMatchObject({ interrupted: true })
})

describe('a mistake in the options is told at once, without the key', () => {
  const sound: VetOptions = { target: 'http://127.0.0.1:1/v1', keys: [{ plan: 'free', key }] }
  test.for<[string, object]>([
    ['no target', { target: undefined }],
    ['no address', { target: 'here' }],
    ['no key', { keys: [] }],
    ['a key of a strange plan', { keys: [{ plan: 'gold', key }] }],
    ['an enterprise key without its numbers', { keys: [{ plan: 'enterprise', key }] }],
    ['an unset variable', { keys: [{ plan: 'free', key: '$NOT_SET_ANYWHERE' }] }],
    ['a strange member', { tarGet: 'http://127.0.0.1:1/v1' }],
    ['a strange permission', { allow: ['delete'] }],
    ['a category beyond int64', { categories: [2n ** 63n] }],
    ['no such check', { only: ['nothing-like-it'] }],
    ['a timeout of nothing', { answerTimeoutMs: 0 }],
    ['a seed that is none', { seed: 1.5 }],
  ])('%s', ([, wrong]) => {
    const asked = () => vet({ ...sound, ...wrong } as VetOptions)
    expect(asked).toThrow(UsageError)
    expect(asked).not.toThrow(key)
  })
})
