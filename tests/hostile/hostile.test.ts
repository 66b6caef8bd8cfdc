// Hostile and broken targets: each run ends soon, within its memory, and with the right outcome.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CheckResult, RunFile } from '../../engine/check/run-file.ts'
import { withTestEnd } from '../at-test-end.ts'
import { allText, type Ended, emptyFolder, petvet, readRunFile } from '../e2e/petvet.ts'
import { isProof, sample } from '../sample.ts'
import { drip, type Hostile, wholes } from './broken-servers.ts'
import { hostileResponses } from './responses.ts'
import { key, spoiling, type Target } from './servers.ts'

/** The harness itself, at work on any target, stays below this. */
const usualMostMiB = 300

const printMemory = new URL('./print-memory.mjs', import.meta.url).href

/** A proof takes what reads every kind of response; `npm test` lists and the clauses. */
const suites = (isProof ? ['list', 'service', 'headers', 'pet', 'pets'] : ['list', 'pet']).flatMap(
  (name) => ['--only', name],
)
/** Left out, as they would only take time: long sequences, and whole quotas. */
const lean = ['--allow', 'write', '--skip', 'walk-*']

const soon = ['--timeout', '0.4']

interface Vetted extends Ended {
  readonly run: RunFile
  readonly written: string
}

const vet = async ({ baseUrl, clockUrl }: Target, limits = soon): Promise<Vetted> => {
  const folder = emptyFolder()
  const clock = clockUrl === null ? [] : ['--clock', clockUrl]
  const flags = ['--seed', '7', ...limits, '--out', 'run', '--report', 'junit']
  const args = ['check', baseUrl, '--key', 'free=$PET_KEY', ...clock, ...suites, ...lean, ...flags]
  const how = { folder, env: { PET_KEY: key }, nodeFlags: ['--import', printMemory] }
  const ended = await petvet(args, how)
  const written = allText(folder)
  return { ...ended, run: readRunFile(join(folder, 'run')), written }
}

/** The outcomes with the reference itself, computed once. */
let reference: Promise<ReadonlyMap<string, CheckResult>> | undefined
const atReference = () => {
  reference ??= spoiling(
    () => false,
    () => {},
  )
    .then((target) => vet(target))
    .then(({ run, code }) => {
      expect(code).toBe(0)
      return new Map(run.checks.map((check) => [check.id, check]))
    })
  return reference
}

const isBad = ({ outcome }: CheckResult) => ['fail', 'warn', 'error'].includes(outcome)

const expectEnding = async ({ start, ends, memoryMostMiB = usualMostMiB }: Hostile) => {
  const reference = await atReference()
  const { code, stdout, stderr, run, written } = await vet(await start())
  const memoryKib = Number(/memory (\d+) KiB/.exec(stderr)?.[1])
  expect(memoryKib / 1024).toBeLessThan(memoryMostMiB)
  expect(`${code}: ${stdout}`).toMatch(new RegExp(`^${ends.code}: `))
  expect(stdout).toMatch(ends.says)
  expect(stdout + stderr + written).not.toContain(key)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey
  expect(stdout + stderr).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/)
  // What a runner of GitHub or Azure would obey.
  expect(stdout + stderr + written).not.toMatch(/##\w*\[/)
  expect(stdout + stderr).not.toMatch(/^\s*::/m)
  if (ends.code === 3 || ends.code === 4) return
  const strange = run.checks
    .filter((check) => isBad(check) && reference.get(check.id)?.outcome !== check.outcome)
    .filter(({ id }) => run.impossible === null && !ends.concerns?.test(id))
  if (ends.concerns !== null || ends.code === 0) expect(strange).toEqual([])
  if (ends.mustFail) expect(run.checks.some(({ outcome }) => outcome === 'fail')).toBe(true)
}

/** A run that hangs is ended by the time limit of its test. */
const timeout = 120_000

test('--max-time ends a response that comes byte by byte', { timeout }, async () => {
  const target = await spoiling(
    (_path, before) => before >= 20,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[')
      drip(socket, ' ')
    },
  )
  const { code, stdout, run } = await vet(target, ['--timeout', '600', '--max-time', '2'])
  expect(`${code}: ${stdout}`).toMatch(/^4: .*undecided/s)
  expect(run.checks.filter(isBad)).toEqual([])
  expect(run.checks.some(({ detail }) => detail.includes('(--max-time)'))).toBe(true)
})

/** On a busy machine a response may take longer than the 0.4 s of these runs, once. */
const retry = 1

describe.concurrent.each([
  ['a target that', wholes],
  ['a target that once in a while', hostileResponses],
])('%s', { timeout, retry }, (_name, targets) => {
  test.for(sample(targets, 36).map((each) => [each.does, each] as const))(
    '%s',
    ([, each], { onTestFinished }) => withTestEnd(onTestFinished, () => expectEnding(each)),
  )
})
