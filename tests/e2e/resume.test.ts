// An interrupted run resumes, and a killed one ends as one that was not, as a user runs them, in
// processes of their own. tests/virtual kills without a process, at many more moments.
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { doneIn, expectOnce } from '../interrupted-run.ts'
import { serveReference } from '../serve-reference.ts'
import { endingsOf, keyOf, twoFree } from '../vet-reference.ts'
import { emptyFolder, readRunFile, type Started, start } from './petvet.ts'

vi.setConfig({ testTimeout: 120_000 })

const keys = [...twoFree, keyOf('pro', 'three')]

/** The reference, which counts requests, and does something when one of a number comes. */
const serveCounted = async () => {
  let due = { at: Number.POSITIVE_INFINITY, act: () => {} }
  let count = 0
  const { url, clockUrl } = await serveReference({
    keys,
    clockPort: 0,
    variant: {
      handle: (honest) => (request) => {
        count += 1
        if (count === due.at) due.act()
        return honest(request)
      },
    },
  })
  /** Resolves once that is done. */
  const when = (at: number, act: () => void): Promise<void> =>
    new Promise((resolve) => {
      due = { at: count + at, act: () => resolve(act()) }
    })
  return { args: [url, '--clock', clockUrl ?? ''], count: () => count, when }
}

const keyFlags = keys.flatMap(({ plan, key }) => ['--key', `${plan}=${key}`])

const check = (...args: string[]): Started =>
  start(['check', ...args, ...keyFlags, '--no-config', '--quiet'], { folder: emptyFolder() })

const only = ['quota-free*', 'retry-after*', 'create-name*'].flatMap((glob) => ['--only', glob])
const some = ['--seed', '7', ...only]

test('a folder is written by one run at a time; an interrupted one resumes', async () => {
  const { args, when } = await serveCounted()
  const folder = join(emptyFolder(), 'run')
  const first = check(...args, '--out', folder, ...some)
  await when(30, () => first.interrupt('SIGSTOP'))
  const second = await check('--resume', folder).ended
  expect([second.code, second.stderr]).toEqual([
    2,
    expect.stringContaining(`${folder} is being written by another run (process ${first.pid}; `),
  ])
  const third = await check(...args, '--out', folder, ...some).ended
  expect([third.code, third.stderr]).toEqual([
    2,
    expect.stringMatching(/is being written by another run \(process \d+; [^\n]+\n$/),
  ])
  first.interrupt('SIGINT')
  first.interrupt('SIGCONT')
  expect((await first.ended).code).toBe(130)
  expect(readRunFile(folder).interrupted).toBe(true)

  expect((await check('--resume', folder).ended).code).toBe(0)
  const { verdict, interrupted, interruptions } = readRunFile(folder)
  expect([verdict, interrupted, interruptions?.length]).toEqual(['conformant', false, 1])
})

/** How long a ban lasts, and whether a row of calls met the end of a window: no two runs agree. */
const untimed = ({
  'ban-duration': _,
  'isolation-invalid-key-free': __,
  ...endings
}: Readonly<Record<string, string>>) => endings

const linesIn = (folder: string, name: 'journal' | 'exchanges'): readonly string[] =>
  readFileSync(join(folder, `${name}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')

test('a run that is killed, with a line of its journal torn, ends as one that is not', async () => {
  const whole = join(emptyFolder(), 'run')
  expect((await check(...(await serveCounted()).args, '--out', whole, ...some).ended).code).toBe(0)
  const { args, when, count } = await serveCounted()
  const folder = join(emptyFolder(), 'run')
  const first = check(...args, '--out', folder, ...some)
  await when(40, () => first.interrupt('SIGKILL'))
  expect((await first.ended).code).toBe(null)
  const done = doneIn(linesIn(folder, 'journal'))
  const sent = linesIn(folder, 'exchanges').length
  appendFileSync(join(folder, 'journal.ndjson'), '{"kind":"sending","seq":77,"check":"list-')
  const { code, stderr } = await check('--resume', folder).ended
  expect([code, stderr.split('\n').length]).toEqual([0, 2])
  const exchanges = linesIn(folder, 'exchanges')
  const again = exchanges.slice(sent).filter((line) => done.has(JSON.parse(line).check))
  expect(again).toEqual([])
  const file = readRunFile(folder)
  expect(untimed(endingsOf(file))).toEqual(untimed(endingsOf(readRunFile(whole))))
  expectOnce(file, { exchanges })
  // Some of the requests in flight at the kill had not been sent yet.
  expect(count()).toBeGreaterThanOrEqual(exchanges.length)
  expect(count()).toBeLessThanOrEqual(file.requests)
})
