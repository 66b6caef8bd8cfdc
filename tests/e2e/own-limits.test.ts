// A limit of this machine is reported in one line, and is no fault of the target.
import { expect, test } from 'vitest'
import { emptyFolder, start } from './petvet.ts'
import { execPetvet, runShell } from './shell.ts'

/** In a shell, which sets what a process cannot set for itself. */
const inShell = (folder: string, before: string, args: readonly string[]) =>
  runShell(`${before}; set -- ${args.join(' ')}; ${execPetvet}`, folder)

test('too few descriptors end the run, and are not counted as resets by the target', async () => {
  const folder = emptyFolder()
  const args = ['serve', '--port', '0', '--clock', '0', '--keys', 'free=key-of-limits']
  const server = start(args, { folder })
  const printed = await server.printed(/key free/)
  const [, url = ''] = /api (\S+)/.exec(printed) ?? []
  const [, clock = ''] = /clock (\S+)/.exec(printed) ?? []
  const target = ['check', url, '--key', 'free=key-of-limits', '--clock', clock, '--no-config']
  const burst = ['--allow', 'write,exhaust', '--only', 'quota-free-not-more']
  const { code, stdout } = await inShell(folder, 'ulimit -n 48', [...target, ...burst])
  expect(stdout).toContain('this machine has no room for another connection (EMFILE)')
  expect(code).toBe(3)
}, 60_000)

test('a current folder that is gone is wrong usage', async () => {
  const folder = emptyFolder()
  const before = 'mkdir gone; cd gone; rmdir ../gone'
  const { code, stdout, stderr } = await inShell(folder, before, ['list'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toBe('petvet: the current folder no longer exists: change to another one\n')
})
