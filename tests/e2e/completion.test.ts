// Completion as a shell requests it: commands and flags are listed, and nothing is run.
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { emptyFolder, petvet } from './petvet.ts'

test('the script calls petvet, which lists commands and flags and runs nothing', async () => {
  const folder = emptyFolder()
  const option = '--get-yargs-completions'
  const listed = async (...words: string[]) => {
    const { code, stdout, stderr } = await petvet([option, 'petvet', ...words], { folder })
    expect([code, stderr]).toEqual([0, ''])
    return stdout.trimEnd().split('\n')
  }
  const script = await petvet(['completion'], { folder })
  expect([script.code, script.stderr]).toEqual([0, ''])
  expect(script.stdout).toContain(`petvet ${option} `)
  expect(await listed('')).toEqual(expect.arrayContaining(['check', 'domains', 'completion']))
  expect(await listed('domains', '')).toEqual(expect.arrayContaining(['lint', 'watch']))
  expect(await listed('check', '--')).toEqual(expect.arrayContaining(['--key', '--seed']))
  expect(await listed('demo', '--only', 'list-*', '--no-mock', '--quiet', 'x')).toEqual([''])
  expect(readdirSync(folder)).toEqual([])
})
