// An interrupted run resumes, and a killed one ends as one that was not, as a user runs them, in
// processes of their own. tests/virtual kills without a process, at many more moments.
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { chances } from '../../proof/virtual.ts'
import { doneIn, expectOnce } from '../interrupted-run.ts'
import {
  killed,
  linesIn,
  type Moment,
  type RunArguments,
  resumed,
  serveCounted,
  stoppedAt,
  tear,
  whole,
} from '../kill/killed.ts'
import { isProof } from '../sample.ts'
import { endingsOf, idsOf } from '../vet-reference.ts'
import { emptyFolder, readRunFile } from './petvet.ts'

vi.setConfig({ testTimeout: 120_000 })

const only = ['quota-free*', 'retry-after*', 'create-name*']
const some: RunArguments = { seed: 7, more: only.flatMap((glob) => ['--only', glob]) }

test('a folder is written by one run at a time; an interrupted one resumes', async () => {
  const server = await serveCounted(null, true)
  const folder = join(emptyFolder(), 'run')
  const first = await stoppedAt(server, folder, some, 30)
  const second = await resumed(folder)
  expect([second.code, second.stderr]).toEqual([
    2,
    expect.stringContaining(`${folder} is being written by another run (process ${first.pid}; `),
  ])
  const third = await whole(server, folder, some)
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

type Kill = readonly [
  mutant: string | null,
  moment: Moment,
  torn: 'journal' | 'exchanges',
  runArguments: RunArguments,
]

/** In the midst of whole runs, before a response or some milliseconds after it. */
const many = (): readonly Kill[] => {
  const chance = chances(20_261_121)
  const all: RunArguments = { seed: 7, more: [] }
  const mutants = [null, null, 'list-limit-one-more', 'ban-prolonged-untold']
  return Array.from({ length: 25 }, (_, place) => {
    const afterMs = chance() < 0.3 ? null : Math.floor(chance() * 8)
    const moment = { at: 1 + Math.floor(chance() * 2_000), afterMs }
    return [mutants[place % 4] ?? null, moment, place % 3 ? 'journal' : 'exchanges', all] as const
  })
}

const kills: readonly Kill[] = isProof
  ? many()
  : [[null, { at: 40, afterMs: null }, 'journal', some]]

/** What the calls of an experiment that is made again may add to those of a key. */
const moreCalls = [1_200, 1_200, 800]

/** How long a ban lasts, and whether a row of calls met the end of a window: no two runs agree. */
const isOfTime = (id: string): boolean =>
  ['ban-duration', 'isolation-invalid-key-free'].includes(id)

const untimed = (endings: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(endings).filter(([id]) => !isOfTime(id)))

test.for(kills)(
  'killed at %j %j with its %s torn',
  async ([mutant, moment, torn, runArguments]) => {
    const run = async (kill: Moment | null) => {
      const server = await serveCounted(mutant, true)
      const folder = join(emptyFolder(), 'run')
      let done: ReadonlySet<string> = new Set()
      let sent = 0
      if (kill) {
        expect((await killed(server, folder, runArguments, kill)).code).toBe(null)
        done = doneIn(linesIn(folder, 'journal.ndjson'))
        sent = linesIn(folder, 'exchanges.ndjson').length
        tear(folder, torn)
      }
      const { code, stderr } = await (kill ? resumed(folder) : whole(server, folder, runArguments))
      expect([code, stderr.split('\n').length]).toEqual([mutant === null ? 0 : 1, 2])
      const counts = await server.counts()
      server.close()
      const after = linesIn(folder, 'exchanges.ndjson').slice(sent)
      const again = kill ? after.filter((line) => done.has(JSON.parse(line).check)) : []
      return { folder, counts, again, file: readRunFile(folder) }
    }
    const was = await run(null)
    const { folder, counts, again, file } = await run(moment)
    expect(again).toEqual([])
    expect(file.verdict).toBe(was.file.verdict)
    expect(idsOf(file, 'fail').sort()).toEqual(idsOf(was.file, 'fail').sort())
    // Whether anything else has a legal explanation depends on the second in which it is sent.
    if (mutant === null) expect(untimed(endingsOf(file))).toEqual(untimed(endingsOf(was.file)))
    const exchanges = linesIn(folder, 'exchanges.ndjson')
    expectOnce(file, { exchanges })
    // Some of the requests in flight at the kill had not been sent yet.
    expect(counts.all).toBeGreaterThanOrEqual(exchanges.length)
    expect(counts.all).toBeLessThanOrEqual(file.requests)
    const more = counts.byKey.map((count, at) => count - (was.counts.byKey[at] ?? 0))
    expect(more.filter((count, at) => count > (moreCalls[at] ?? 0))).toEqual([])
  },
)
