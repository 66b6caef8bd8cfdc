// A killed or interrupted run resumes, as a user runs it; `npm run prove` kills fifty times, and
// tests/virtual kills without a process.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { expectSame } from '../kill/compared.ts'
import {
  killed,
  type RunArguments,
  resumed,
  runIn,
  serveCounted,
  stoppedAt,
  tear,
  whole,
} from '../kill/killed.ts'
import { isProof } from '../sample.ts'
import { emptyFolder, petvet } from './petvet.ts'

vi.setConfig({ testTimeout: 120_000 })

const only = ['quota-free*', 'quota-excess-429', 'retry-after*', 'isolation-*', 'create-name*']
const runArguments: RunArguments = { seed: 7, more: only.flatMap((glob) => ['--only', glob]) }

const moments = [
  { at: 40, afterMs: 0 },
  { at: 150, afterMs: null },
]

test.runIf(isProof)(
  'killed in its creations and in a burst, a run ends as an uninterrupted one',
  async () => {
    const server = await serveCounted(null, true)
    const folder = emptyFolder()
    const { code, stderr } = await whole(server, join(folder, 'whole'), runArguments)
    expect(code, stderr).toBe(0)
    const counts = await server.counts()
    const uninterrupted = { run: runIn(join(folder, 'whole')), counts }
    for (const [place, moment] of moments.entries()) {
      const own = join(folder, `killed-${place}`)
      const before = await server.counts()
      expect((await killed(server, own, runArguments, moment)).code).toBe(null)
      const shown = await petvet(['report', own], { folder })
      expect([shown.code, shown.stderr]).toEqual([
        2,
        expect.stringContaining('was interrupted after'),
      ])
      tear(own, 'journal')
      const { code, stderr } = await resumed(own)
      expect(code, stderr).toBe(0)
      const after = await server.counts()
      const byKey = after.byKey.map((count, at) => count - (before.byKey[at] ?? 0))
      expectSame(uninterrupted, own, { all: after.all - before.all, byKey })
    }
    const over = await resumed(join(folder, 'killed-1'))
    expect([over.code, over.stderr.trim()]).toEqual([
      0,
      expect.stringMatching(
        /^petvet: nothing is left to do: (?:conformant|no violations found).* \(.*\)$/,
      ),
    ])
  },
)

test('a folder is written by one run at a time; an interrupted one resumes', async () => {
  const server = await serveCounted(null, true)
  const folder = join(emptyFolder(), 'run')
  const first = await stoppedAt(server, folder, runArguments, 30)
  const second = await resumed(folder)
  expect([second.code, second.stderr]).toEqual([
    2,
    expect.stringContaining(`${folder} is being written by another run (process ${first.pid}; `),
  ])
  const third = await whole(server, folder, runArguments)
  expect([third.code, third.stderr]).toEqual([
    2,
    expect.stringMatching(/is being written by another run \(process \d+; [^\n]+\n$/),
  ])
  first.interrupt()
  expect((await first.ended).code).toBe(130)
  expect(runIn(folder).interrupted).toBe(true)

  expect((await resumed(folder)).code).toBe(0)
  const { verdict, interrupted, interruptions } = runIn(folder)
  expect([verdict, interrupted, interruptions?.length]).toEqual(['conformant', false, 1])
  appendFileSync(join(folder, 'journal.ndjson'), 'x\n')
  const damaged = await resumed(folder)
  expect([damaged.code, damaged.stderr]).toEqual([2, expect.stringMatching(/^.*line \d+ of.*\n$/)])
})
