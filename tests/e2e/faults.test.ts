// What befalls a run from outside: a full disk, a folder that goes, a reader that goes, signals,
// too few descriptors. It ends in a line and the right code, never in a stack.
import { readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serveWith } from '../raw-server.ts'
import {
  emptyFolder,
  execPetvet,
  readRunFile,
  runShell,
  start,
  startServe,
  writeCommands,
} from './petvet.ts'

const isPosix = process.platform !== 'win32'

/** A line of a shell in which `petvet` is the command. */
const shell = (line: string, folder: string) => {
  writeCommands(folder, { petvet: execPetvet })
  return runShell(line, folder, {}, 'bash')
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** Answered a little late, so that there is time to do something meanwhile. */
const served = (): RequestListener => (_request, response) => {
  response.setHeader('content-type', 'application/json')
  setTimeout(() => response.end('[]'), 20)
}

describe.runIf(isPosix)('what is written', () => {
  test('a disk that is full ends the run in a line, and its record is whole', async () => {
    const folder = emptyFolder()
    const { code, stdout, stderr } = await shell(
      'ulimit -f 20; petvet demo --no-mock --out run --quiet',
      folder,
    )
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(/^petvet: cannot write .*exchanges\.ndjson \(E\w+\): .*\n$/)
    const record = readFileSync(join(folder, 'run/exchanges.ndjson'), 'utf8')
    expect(record.length).toBeGreaterThan(10_000)
    for (const line of lines(record)) JSON.parse(line)
    expect(record.endsWith('\n')).toBe(true)
  })

  test('a folder that is gone ends it in a line', async () => {
    const folder = emptyFolder()
    let requests = 0
    const origin = await serveWith((request, response) => {
      requests += 1
      if (requests === 10) rmSync(join(folder, 'run'), { recursive: true })
      served()(request, response)
    })
    const only = ['--only', 'list-limit-*', '--timeout', '2', '--quiet']
    const args = ['check', `${origin}/v1`, '--key', 'free=sesame-1', '--out', 'run', ...only]
    const { code, stderr } = await start(args, { folder }).ended
    expect(stderr).toMatch(/^petvet: cannot write .*run\.json \(ENOENT\): .*\n$/)
    expect(code).toBe(3)
  })
})

describe.runIf(isPosix)('who reads may stop:', () => {
  const check = 'petvet demo --no-mock --only list-limit-most'

  test('standard output', async () => {
    const { code, stdout, stderr } = await shell(
      `${check} | head -1; exit \${PIPESTATUS[0]}`,
      emptyFolder(),
    )
    expect([code, lines(stdout).length]).toEqual([0, 1])
    expect(stderr).not.toMatch(/ {4}at |Error/)
  })

  test.each(['2>&-', '2> >(true)'])('standard error, %s', async (closed) => {
    const { code, stdout } = await shell(`${check} ${closed}`, emptyFolder())
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/petvet: (?:conformant|no violations found)/),
    ])
  })
})

describe.runIf(isPosix)('signals', () => {
  const begun = async (folder: string, listener: RequestListener) => {
    const reached = Promise.withResolvers<void>()
    let requests = 0
    const origin = await serveWith((request, response) => {
      requests += 1
      if (requests === 5) reached.resolve()
      listener(request, response)
    })
    const args = ['check', `${origin}/v1`, '--key', 'free=sesame-1', '--out', 'run']
    const started = start([...args, '--timeout', '60'], { folder })
    await reached.promise
    return started
  }

  test.each(['SIGTERM', 'SIGHUP'] as const)('%s ends with the report', async (signal) => {
    const folder = emptyFolder()
    const started = await begun(folder, served())
    started.interrupt(signal)
    const { code, stdout, stderr } = await started.ended
    expect([code, stdout]).toEqual([130, expect.stringContaining('petvet: interrupted')])
    expect(readRunFile(join(folder, 'run')).interrupted).toBe(true)
    expect(stderr).not.toMatch(/ {4}at /)
  })
})

test('too few descriptors end the run, and are not counted as resets by the target', async () => {
  const folder = emptyFolder()
  const { url, clock } = await startServe(folder, ['free=key-of-limits'])
  const target = ['check', url, '--key', 'free=key-of-limits', '--clock', clock, '--no-config']
  const burst = ['--allow', 'write,exhaust', '--only', 'quota-free-not-more']
  const { code, stdout } = await shell(
    `ulimit -n 48; petvet ${[...target, ...burst].join(' ')}`,
    folder,
  )
  expect(stdout).toContain('this machine has no room for another connection (EMFILE)')
  expect(code).toBe(3)
}, 60_000)

test('a current folder that is gone is wrong usage', async () => {
  const line = `mkdir gone; cd gone; rmdir ../gone; set -- list; ${execPetvet}`
  const { code, stdout, stderr } = await runShell(line, emptyFolder())
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toBe('petvet: the current folder no longer exists: change to another one\n')
})
