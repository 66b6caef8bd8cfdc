// An interrupted run resumes, as a user runs it; `npm run prove` kills fifty times, and
// tests/virtual kills without a process.
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type RunArguments, resumed, serveCounted, stoppedAt, whole } from '../kill/killed.ts'
import { emptyFolder, readRunFile } from './petvet.ts'

vi.setConfig({ testTimeout: 120_000 })

const only = ['quota-free*', 'quota-429-status', 'retry-after*', 'isolation-*', 'create-name*']
const runArguments: RunArguments = { seed: 7, more: only.flatMap((glob) => ['--only', glob]) }

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
  expect(readRunFile(folder).interrupted).toBe(true)

  expect((await resumed(folder)).code).toBe(0)
  const { verdict, interrupted, interruptions } = readRunFile(folder)
  expect([verdict, interrupted, interruptions?.length]).toEqual(['conformant', false, 1])
})
