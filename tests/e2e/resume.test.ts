// An interrupted run resumes, and a killed one ends as one that was not, as a user runs them, in
// processes of their own. tests/virtual kills without a process, at many more moments.
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { chances } from '../../proof/virtual.ts'
import { mutants } from '../../reference/mutants.ts'
import { doneIn, expectOnce } from '../interrupted-run.ts'
import { isProof } from '../sample.ts'
import { serveReference } from '../serve-reference.ts'
import { endingsOf, idsOf, keyOf, twoFree } from '../vet-reference.ts'
import { emptyFolder, readRunFile, type Started, start } from './petvet.ts'

vi.setConfig({ testTimeout: 120_000 })

const keys = [...twoFree, keyOf('pro', 'three')]

/** The reference, which counts requests, and does something when one of a number comes. */
const serveCounted = async (fault: string | null) => {
  let due = { at: Number.POSITIVE_INFINITY, act: () => {} }
  const counts = { all: 0, byKey: keys.map(() => 0) }
  const { handle, ...variant } = mutants.find(({ id }) => id === fault) ?? {}
  const { url, clockUrl } = await serveReference({
    keys,
    clockPort: 0,
    variant: {
      ...variant,
      handle: (honest, parts) => {
        const inner = handle?.(honest, parts) ?? honest
        return (request) => {
          counts.all += 1
          const given = request.header('authorization')
          const place = keys.findIndex(({ key }) => given === `Bearer ${key}`)
          if (place >= 0) counts.byKey[place] = (counts.byKey[place] ?? 0) + 1
          if (counts.all === due.at) due.act()
          return inner(request)
        }
      },
    },
  })
  /** Resolves once that is done. */
  const when = (at: number, act: () => void): Promise<void> =>
    new Promise((resolve) => {
      due = { at: counts.all + at, act: () => resolve(act()) }
    })
  return { args: [url, '--clock', clockUrl ?? ''], counts, when }
}

const keyFlags = keys.flatMap(({ plan, key }) => ['--key', `${plan}=${key}`])

const check = (...args: string[]): Started =>
  start(['check', ...args, ...keyFlags, '--no-config', '--quiet'], { folder: emptyFolder() })

const only = ['quota-free*', 'retry-after*', 'create-name*'].flatMap((glob) => ['--only', glob])
const some = ['--seed', '7', ...only]

test('a folder is written by one run at a time; an interrupted one resumes', async () => {
  const { args, when } = await serveCounted(null)
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

type File = 'journal' | 'exchanges'

/** What a kill in the midst of a line leaves behind. */
const begun: Readonly<Record<File, string>> = {
  journal: '{"kind":"sending","seq":77,"check":"list-',
  exchanges: '{"seq":9999999,"at":"20',
}

type Kill = readonly [fault: string | null, at: number, torn: File, flags: readonly string[]]

/** In the midst of whole runs. */
const many = (): readonly Kill[] => {
  const chance = chances(20_261_121)
  const faults = [null, null, 'list-limit-one-more', 'ban-prolonged-untold']
  return Array.from({ length: 25 }, (_, place) => {
    const at = 1 + Math.floor(chance() * 2_000)
    return [faults[place % 4] ?? null, at, place % 3 ? 'journal' : 'exchanges', ['--seed', '7']]
  })
}

/** What the calls of an experiment that is made again may add to those of a key. */
const moreCalls = [1_200, 1_200, 800]

/** How long a ban lasts, and whether a row of calls met the end of a window: no two runs agree. */
const isOfTime = (id: string): boolean =>
  ['ban-duration', 'isolation-invalid-key-free'].includes(id)

const untimed = (endings: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(endings).filter(([id]) => !isOfTime(id)))

const linesIn = (folder: string, name: File): readonly string[] =>
  readFileSync(join(folder, `${name}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')

test.for(isProof ? many() : [[null, 40, 'journal', some] as Kill])(
  'a run at %j is killed at request %i, with its %s torn',
  async ([fault, at, torn, flags]) => {
    const run = async (isKilled: boolean) => {
      const { args, when, counts } = await serveCounted(fault)
      const folder = join(emptyFolder(), 'run')
      const first = check(...args, '--out', folder, ...flags)
      let done: ReadonlySet<string> = new Set()
      let sent = 0
      if (isKilled) {
        await when(at, () => first.interrupt('SIGKILL'))
        expect((await first.ended).code).toBe(null)
        done = doneIn(linesIn(folder, 'journal'))
        sent = linesIn(folder, 'exchanges').length
        appendFileSync(join(folder, `${torn}.ndjson`), begun[torn])
      }
      const { code, stderr } = await (isKilled ? check('--resume', folder) : first).ended
      expect([code, stderr.split('\n').length]).toEqual([fault === null ? 0 : 1, 2])
      const after = linesIn(folder, 'exchanges').slice(sent)
      const again = isKilled ? after.filter((line) => done.has(JSON.parse(line).check)) : []
      return { folder, counts, again, file: readRunFile(folder) }
    }
    const was = await run(false)
    const { folder, counts, again, file } = await run(true)
    expect(again).toEqual([])
    expect(file.verdict).toBe(was.file.verdict)
    expect(idsOf(file, 'fail').sort()).toEqual(idsOf(was.file, 'fail').sort())
    // Whether anything else has a legal explanation depends on the second in which it is sent.
    if (fault === null) expect(untimed(endingsOf(file))).toEqual(untimed(endingsOf(was.file)))
    const exchanges = linesIn(folder, 'exchanges')
    expectOnce(file, { exchanges })
    // Some of the requests in flight at the kill had not been sent yet.
    expect(counts.all).toBeGreaterThanOrEqual(exchanges.length)
    expect(counts.all).toBeLessThanOrEqual(file.requests)
    const more = counts.byKey.map((count, place) => count - (was.counts.byKey[place] ?? 0))
    expect(more.filter((count, place) => count > (moreCalls[place] ?? 0))).toEqual([])
  },
)
