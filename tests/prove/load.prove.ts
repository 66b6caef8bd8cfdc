// A million requests of a load are exact and take little memory; the scenarios at the libraries of
// limiters.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { RunFile } from '../../engine/check/run-file.ts'
import { startReference } from '../../reference/start.ts'
import { keysOf, loadLibrary } from '../load-reference.ts'
import { type MountName, mounts } from '../real-limiters/mounts.ts'
import { outcomesOf } from '../vet-reference.ts'

const minute = { timeout: 60_000 }
const long = { timeout: 300_000 }

const foundIn = (run: RunFile): string[] =>
  outcomesOf(run, 'fail', 'warn').map((line) => line.split(/[ :]/)[1] ?? '')

/** The median, so that what is in flight at a moment counts for nothing. */
const middle = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

test(
  'one million requests are sent, completed and counted, and memory stays flat',
  long,
  async () => {
    const [key] = keysOf(['enterprise'])
    if (!key) throw new Error('no key')
    const server = await startReference({ keys: [key] })
    const script = join(import.meta.dirname, 'million.ts')
    const words = ['--expose-gc', script, server.url, key.key]
    const { stdout } = await promisify(execFile)(process.execPath, words)
    const counted = server.received?.()
    await server.close()
    const { impossible, requests, sent, counts, timed, mebibytes } = JSON.parse(stdout)
    expect(impossible).toBeNull()
    expect([sent, timed]).toEqual([1_000_000, 1_000_000])
    expect(counts).toMatchObject({ served: 1_000_000, refused: 0, timeout: 0, reset: 0 })
    expect(counted).toBe(requests)
    expect(Math.max(...mebibytes)).toBeLessThan(100)
    const third = Math.floor(mebibytes.length / 3)
    const growth = middle(mebibytes.slice(-third)) - middle(mebibytes.slice(third, 2 * third))
    expect(growth).toBeLessThan(5)
  },
)

const ofQuota = ['fleet', 'edge', 'replicas', 'backoff', 'burst', 'ban']

const names = Object.keys(mounts) as MountName[]
const settings = { connections: [1, 10, 50], durationMs: null }

describe('of the libraries of limiters', () => {
  const conformant = names.filter((name) => name.endsWith('conformant'))

  test.for(conformant)('nothing fails with %s', minute, async (name) => {
    const run = await loadLibrary(name, { scenarios: ofQuota, settings })
    expect(outcomesOf(run, 'fail', 'warn', 'error')).toEqual([])
    expect(run.verdict).toBe('conformant')
  })

  test.for(names.filter((name) => !conformant.includes(name)))(
    '%s gives no key more than that of the smallest plan, and its headers show that',
    minute,
    async (name) => {
      const run = await loadLibrary(name, { scenarios: ['burst'], settings })
      expect(foundIn(run).join()).toMatch(/header-limit-(?:of-plan|present)/)
    },
  )
})
