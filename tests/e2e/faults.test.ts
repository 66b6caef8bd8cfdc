// What befalls a run from outside: a full disk, a folder that goes, a reader that goes, too few
// descriptors. It ends in a line and the right code, never in a stack.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serveWith } from '../raw-server.ts'
import { emptyFolder, execPetvet, runShell, start, startServe, writeCommands } from './petvet.ts'

const isPosix = process.platform !== 'win32'

/** A line of a shell in which `petvet` is the command. */
const shell = (line: string, folder: string) => {
  writeCommands(folder, { petvet: execPetvet })
  return runShell(line, folder, {}, 'bash')
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

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
    const origin = await serveWith((_request, response) => {
      requests += 1
      if (requests === 10) rmSync(join(folder, 'run'), { recursive: true })
      response.setHeader('content-type', 'application/json')
      response.end('[]')
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

test('too few descriptors end the run, and are not counted as resets by the target', async () => {
  const folder = emptyFolder()
  const { url, clock } = await startServe(folder, ['free=key-of-limits'])
  const target = ['check', url, '--key', 'free=key-of-limits', '--clock', clock, '--no-config']
  const burst = ['--allow', 'write,exhaust', '--only', 'quota-free']
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
  expect(stderr).toMatch(/^petvet: .*the current working directory was likely removed.*\n$/)
})
