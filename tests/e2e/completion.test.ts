// Completion as a shell does it: its script is loaded, and its own function asked.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyFolder, petvet, tellLoads } from './petvet.ts'

const bin = join(import.meta.dirname, '../../bin/petvet.js')

const isThere = (shell: string) => spawnSync(shell, ['--version']).error === undefined

/** Runs a script in a shell that finds `petvet`, and answers what it prints. */
const run = (shell: string, flags: readonly string[], script: string): string[] => {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'bin'))
  const command = join(folder, 'bin', 'petvet')
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  chmodSync(command, 0o755)
  const env = { HOME: folder, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
  const printed = execFileSync(shell, [...flags, '-c', script], { cwd: folder, env })
  return printed.toString().split('\n').filter(Boolean)
}

/** A line and the words into which the shell breaks it. */
const cases: readonly (readonly [line: string, words: readonly string[], found: string[]])[] = [
  ['petvet che', ['petvet', 'che'], ['check']],
  ['petvet check --on', ['petvet', 'check', '--on'], ['--only']],
  ['petvet check --key=fr', ['petvet', 'check', '--key', '=', 'fr'], ['free=']],
  ['petvet explain list-limit-mo', ['petvet', 'explain', 'list-limit-mo'], ['list-limit-most']],
  ['petvet check --out ', ['petvet', 'check', '--out', ''], ['bin']],
]

describe.runIf(isThere('bash'))('bash', () => {
  test.for(cases)('%s', ([line, words, found]) => {
    const script = `
      eval "$(petvet completion bash)"
      COMP_LINE='${line}' COMP_POINT=${line.length} COMP_CWORD=${words.length - 1}
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
      COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
      _petvet 2>/dev/null
      printf '%s\\n' "\${COMPREPLY[@]}"
      complete -p petvet`
    expect(run('bash', ['--norc'], script)).toEqual([...found, 'complete -F _petvet petvet'])
  })
})

describe.runIf(isThere('zsh'))('zsh', () => {
  test.for<[string[], string[]]>([
    [['check', '--on'], ['--only']],
    [['check', '--key=fr'], ['--key=free=']],
    [['explain', 'list-limit-mo'], ['list-limit-most']],
    [['check', '--out', ''], ['files']],
  ])('%j', ([words, found]) => {
    const script = `
      compdef() { : }
      compadd() { print -rl -- "\${(@)found}" }
      _files() { print files }
      eval "$(petvet completion zsh)"
      words=(petvet ${words.map((word) => `'${word}'`).join(' ')}) CURRENT=${words.length + 1}
      _petvet`
    expect(run('zsh', ['-f'], script)).toEqual(found)
  })
})

describe.runIf(isThere('fish'))('fish', () => {
  test.for<[string, RegExp]>([
    ['petvet check --on', /^--only\t/],
    ['petvet check --key=fr', /^--key=free=$/],
    ['petvet explain list-limit-mo', /^list-limit-most\t/],
  ])('%s', ([line, found]) => {
    const script = `petvet completion fish | source; complete -C '${line}'`
    const [only = '', ...more] = run('fish', ['--no-config'], script)
    expect(only).toMatch(found)
    expect(more).toEqual([])
  })
})

test('commands, flags and short lists load no suite', async () => {
  const folder = emptyFolder()
  const asked = ['__complete', 'zsh', 'check', '--report', 'ht']
  const { stdout, stderr } = await petvet(asked, { folder, nodeFlags: tellLoads })
  expect(stdout).toBe('open\nhtml\n')
  expect(stderr).toContain('cli/completion/complete.ts')
  expect(stderr).not.toMatch(
    /node_modules|suites\/(?!kit\/(?:version|ci-commands))|reference\/|load\//,
  )
})
