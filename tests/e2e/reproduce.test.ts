// The `Reproduce:` lines of a report work when pasted into a shell.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder, execPetvet, petvet, runShell, startServe, writeCommands } from './petvet.ts'

const slow = { timeout: 90_000 }
const free = 'free-key-of-the-paste-1'
const spare = 'free-key-of-the-paste-2'

/** A line as a user pastes it, in a shell in which `petvet` is this command. */
const pasted = (folder: string, line: string) => {
  writeCommands(folder, { petvet: execPetvet })
  return runShell(line, folder, { FREE_KEY: free, PETVET_KEY: spare })
}

const given = ['--key', 'free=$FREE_KEY', '--key', `free=${spare}`, '--no-config']

test('each failure of a run is reproduced by its line', slow, async () => {
  const folder = emptyFolder()
  const keys = [`free=${free}`, `free=${spare}`]
  const { url, clock } = await startServe(folder, keys, '--mutant', 'list-limit-one-more')
  const only = ['--only', 'list-l*', '--only', 'create-name*']
  const args = ['check', url, ...given, '--clock', clock, ...only, '--out', 'run']
  const formats = ['--report', 'html,markdown,junit']
  const { code, stdout } = await petvet([...args, ...formats], { folder, env: { FREE_KEY: free } })
  expect(code).toBe(1)
  const lines = [...stdout.matchAll(/^FAIL {2}(\S+)\n[\s\S]*?^ {2}Reproduce {1}(petvet .*)$/gm)]
  expect(lines.length).toBeGreaterThan(0)
  for (const [, id = '', line = ''] of lines.slice(0, 2)) {
    const again = await pasted(folder, `${line} --out again-${id}`)
    expect([id, again.code, again.stdout]).toEqual([
      id,
      1,
      expect.stringMatching(new RegExp(`^(?:FAIL|  Also) .*\\b${id}\\b`, 'm')),
    ])
  }
  const [, , first = ''] = lines[0] ?? []
  expect(first).not.toContain(spare)
  // The other formats have exactly the same line.
  const reportText = (name: string) => readFileSync(join(folder, 'run', name), 'utf8')
  expect(reportText('report.md')).toContain(first)
  const escaped = first.replaceAll("'", '&#39;')
  expect(reportText('report.html')).toContain(escaped)
  expect(reportText('junit.xml')).toContain(`Reproduce: ${first.replaceAll("'", '&apos;')}`)
  // The runs may have used up the minute of the key.
  await fetch(clock, { method: 'POST', body: '{"advanceMs":60000}' })
  const request = /^ {2}Request {3}(curl .*)$/m.exec(stdout)?.[1] ?? ''
  expect((await pasted(folder, request)).stdout).toMatch(/^HTTP\/1\.1 200/)
})

test('a run that could not start prints the reason alone', slow, async () => {
  const folder = emptyFolder()
  const args = ['check', 'http://127.0.0.1:9/v1', ...given, '--only', 'list*', '--out', 'run']
  const { code, stdout } = await petvet(args, { folder, env: { FREE_KEY: free } })
  expect([code, stdout]).toEqual([3, expect.stringContaining('connection was refused')])
  expect(stdout).not.toMatch(/Reproduce|\d+ untested/)
})
