// `petvet load` as a user starts it: its output, its files and its exit codes.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRun } from '../../reports/read-run.ts'
import { listening } from '../raw-server.ts'
import { allText, type Ended, emptyFolder, petvet, start, startServe } from './petvet.ts'

const keys = ['free=first-load-key-aa11', 'free=second-load-key-bb22', 'pro=third-load-key-cc33']

/** Starts the reference in its own process. @returns the flags of a load on it */
const served = async (folder: string, ...more: string[]): Promise<string[]> => {
  const { url, clock } = await startServe(folder, keys, ...more)
  const given = keys.flatMap((key) => ['--key', key])
  return [url, '--no-config', '--clock', clock, ...given]
}

const bare = ['--no-mock', '--no-reference', '--connections', '20', '--out', 'run']

const load = (folder: string, ...args: string[]): Promise<Ended> =>
  petvet(['load', ...args], { folder })

describe('a load on a server that counts well', { timeout: 30_000 }, () => {
  test('prints its plan, gets no key banned, and ends with 0', async () => {
    const folder = emptyFolder()
    const args = [...(await served(folder)), ...bare, '--scenario', 'b*', '--report', 'junit']
    const { code, stdout, stderr } = await load(folder, ...args)
    expect(stderr).toMatch(/^Load on http:\/\/127/)
    // Without a terminal there is no progress.
    expect(stderr).not.toContain('at target')
    expect(stderr).toMatch(/burst +\d+ +\d+ s {2}exhausts a key of each plan, and may cause a ban/)
    const planned = [...stderr.matchAll(/^(?:backoff|burst|ban|in doubt) +(\d+) /gm)]
    // A call with each key before, and one without after.
    const around = keys.length + 1
    const sum = planned.reduce((all, [, requests]) => all + Number(requests), around)
    expect(stderr).toMatch(new RegExp(`^total, at most +${sum} `, 'm'))
    expect(stdout).toMatch(/^burst\n(?: {2}(?:requests|latency) .*\n)+ {2}served \.+: 360 /m)
    expect(stdout).toMatch(/petvet: (?:conformant|no violations found).* \(\d+ of \d+ musts/)
    expect(code).toBe(0)
    const run = readRun(join(folder, 'run'))
    expect(run.load?.map(({ id }) => id)).toEqual(['backoff', 'burst', 'ban'])
    expect(existsSync(join(folder, 'run', 'junit.xml'))).toBe(true)
    const written = `${allText(join(folder, 'run'))}${stdout}${stderr}`
    for (const key of keys) expect(written).not.toContain(key.split('=')[1])
  })

  test('a violated threshold is exit 1, and a warning', async () => {
    const folder = emptyFolder()
    writeFileSync(join(folder, 'limits.yaml'), 'burst:\n  p99: < 0.0001 ms\n')
    const args = [...(await served(folder)), ...bare, '--scenario', 'burst']
    const { code, stdout } = await load(folder, ...args, '--thresholds', 'limits.yaml')
    expect(stdout).toContain('load-threshold-burst-p99')
    const last = stdout.trimEnd().split('\n').slice(-6).join('\n')
    expect(stdout).toMatch(/^ {2}✗ burst p99: .+ ms \(< 0\.0001 ms\)$/m)
    expect(last).toMatch(/^petvet: .+, 1 threshold violated \(burst p99\)/m)
    expect(code).toBe(1)
    const again = await petvet(['report', 'run'], { folder })
    expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('1 threshold violated')])
  })
})

test('a load that violates prints a headline, as checks do', { timeout: 30_000 }, async () => {
  const folder = emptyFolder()
  const args = await served(folder, '--mutant', 'race-between-look-and-count')
  const { code, stdout } = await load(folder, ...args, ...bare, '--scenario', 'b*')
  expect(stdout).toMatch(/^Key free-1 .*: \d+ served; expected at most \d+ requests/m)
  expect(code).toBe(1)
  expect(readRun(join(folder, 'run')).causes).toHaveLength(1)
})

/** In front of a server: further connections are accepted, and nothing is sent on or back. */
const stuckBeyond = async (url: string, most: number) => {
  const stuck = Promise.withResolvers<void>()
  let open = 0
  const origin = await listening(
    createServer((socket) => {
      open += 1
      socket
        .on('error', () => {})
        .on('close', () => {
          open -= 1
        })
      if (open > most) return stuck.resolve()
      const onward = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
      socket.pipe(onward).pipe(socket)
    }),
  )
  return { url: `${origin}/v1`, isStuck: stuck.promise }
}

/** The folders of a gate; Node keeps its compile cache next to them. */
const gatesIn = (temporary: string): string[] =>
  readdirSync(temporary).filter((name) => name.startsWith('petvet'))

test('an interruption ends with 130, and leaves nothing', { timeout: 30_000 }, async () => {
  const [folder, temporary] = [emptyFolder(), emptyFolder()]
  const key = 'business=fourth-load-key-dd44'
  const { url, clock } = await startServe(folder, [key])
  const target = await stuckBeyond(url, 2)
  // The second of these has not begun.
  const both = ['--scenario', 'capacity', '--scenario', 'burst']
  const flags = ['--no-config', '--clock', clock, '--key', key, ...both, ...bare]
  const env = { TMPDIR: temporary }
  const running = start(['load', target.url, '--allow', 'write,exhaust', ...flags], {
    folder,
    env,
  })
  await target.isStuck
  expect(gatesIn(temporary)).toHaveLength(1)
  running.interrupt('SIGINT')
  const { code, stdout } = await running.ended
  expect(code).toBe(130)
  expect(stdout).toContain('petvet: interrupted')
  const { interrupted, checks, notes } = readRun(join(folder, 'run'))
  expect([interrupted, notes.join()]).toEqual([true, expect.not.stringContaining('Untested')])
  const untested = checks.filter(({ outcome }) => outcome === 'untested')
  expect(new Set(untested.map(({ because }) => because))).toEqual(new Set(['interrupted']))
  expect(gatesIn(temporary)).toEqual([])
})
