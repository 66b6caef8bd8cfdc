// The pages are correct: commands, flags, files, examples, numbers and exit codes.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { interruptedCode } from '../cli/output/folder.ts'
import { findConfig } from '../config/config-file.ts'
import { suiteName } from '../config/run-settings.ts'
import type { Verdict } from '../engine/check/run-file.ts'
import { decideExitCode } from '../engine/check/verdict.ts'
import { smokeId } from '../engine/run/smoke.ts'
import { servers } from '../proof/subjects.ts'
import { formats } from '../reports/formats.ts'
import { readRun } from '../reports/read-run.ts'
import { catalogue } from '../suites/index.ts'
import { pageNames, proseOf, shownOn } from './docs/pages.ts'
import { emptyFolder } from './e2e/petvet.ts'
import { root, textOf } from './layout/sources.ts'

const readme = textOf('README.md')
const contributing = textOf('CONTRIBUTING.md')
const { scripts } = JSON.parse(textOf('package.json'))

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)

const flagsIn = (text: string): string[] => all(text, /(--[a-z]+(?:-[a-z]+)*)/g)

/** Flags of npm, of curl and of this repository that the pages speak of. */
const ofOthers = [
  ...['--ignore-scripts', '--omit', '--cacert', '--pass', '--http', '--save-dev', '--global'],
]

describe('the commands of the pages', () => {
  // Another test finds this page to be the help of every command, by name: `check`, `domains lint`.
  const sections = textOf('docs/cli.md').split(/^## petvet ?/m)
  const helps = new Map(sections.map((text) => [text.split('\n', 1)[0] ?? '', text]))
  const names = all(helps.get('') ?? '', /^ {2}petvet ([a-z]+)/gm)

  test('its table names each one', () => {
    const named = all(readme.split('## Commands')[1] ?? '', /^\| `([a-z]+)[^|]*` \| /gm)
    expect(named.sort()).toEqual(names.sort())
  })

  test('each one that any page shows exists, with its flags', () => {
    const shown = pageNames.flatMap(shownOn)
    expect(shown.length).toBeGreaterThan(20)
    for (const { page, command } of shown) {
      const [, name = '', second = ''] = command.split(' ')
      expect(names, `${page}: ${command}`).toContain(name)
      // A group has its flags behind the second word.
      const help = helps.get(name === 'domains' ? `${name} ${second}` : name)
      expect(flagsIn(help ?? ''), `${page}: ${command}`).toEqual(
        expect.arrayContaining(flagsIn(command)),
      )
    }
  })

  test('each flag that a page describes exists', () => {
    const prose = pageNames.map(proseOf)
    const spoken = all(prose.join('\n'), /`((?:petvet [a-z]+ )?--[^`]+)`/g).flatMap(flagsIn)
    const known = flagsIn([...helps.values(), ...ofOthers].join('\n'))
    expect(spoken.length).toBeGreaterThan(10)
    expect(spoken.filter((flag) => !known.includes(flag))).toEqual([])
  })

  test('each script exists', () => {
    const named = all(`${readme}${contributing}`, /\bnpm (?:run )?([a-z]+(?:-[a-z]+)*)/g)
    const own = ['ci', 'install', 'run', 'exec', ...Object.keys(scripts)]
    expect(named.filter((name) => !own.includes(name))).toEqual([])
  })
})

test.for(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'])('the files of %s exist', (file) => {
  const text = textOf(file)
  const quoted = all(text, /`((?:bench|cli|reference|reports|spec|suites|tests)\/[^`*]*)`/g)
  expect(quoted.filter((place) => !existsSync(join(root, place)))).toEqual([])
})

test('the checks, mutants and formats of the README exist', () => {
  const ids = [...catalogue.map(({ id }) => id), smokeId]
  const pages = pageNames.map(textOf).join('\n')
  const failed = all(pages, /^(?:FAIL {2}|(?=list-limit-most ))((?!\S*\.\.\.)\S+)/gm)
  expect(failed.length).toBeGreaterThan(1)
  expect(failed.filter((id) => !ids.includes(id))).toEqual([])
  const mutants = all(pages, /^(?:npx )?petvet serve .*--mutant ([a-z0-9-]+)$/gm)
  expect(servers.map(({ id }) => id)).toEqual(expect.arrayContaining(mutants))
  const reported = all(pages, /`--report ([a-z]+)`/g)
  expect(Object.keys(formats)).toEqual(expect.arrayContaining(reported))
})

test('the configuration of the README is valid', () => {
  const [yaml = ''] = all(readme, /```yaml\n(# petvet[^`]+)```/g)
  const folder = emptyFolder()
  writeFileSync(join(folder, 'petvet.config.yaml'), yaml)
  const { config } = findConfig(undefined, folder)
  expect(config.categories).toEqual([1, '9007199254740993'])
})

test('the numbers of mutants and legal variants are not too large, and not old', () => {
  for (const [kind, pattern] of [
    ['mutant', /more than (\d+) mutants/],
    ['legal', /more than (\d+)\s+legal\s+variants/],
  ] as const) {
    const stated = Number(pattern.exec(readme)?.[1])
    const own = servers.filter((server) => server.kind === kind).length
    expect(own, kind).toBeGreaterThan(stated)
    expect(own, kind).toBeLessThanOrEqual(stated + 50)
  }
})

test('the README stays short', () => {
  expect(readme.split('\n').length).toBeLessThanOrEqual(150)
})

test('the exit codes of the README are those of the verdicts', () => {
  const rows = [...readme.matchAll(/^\| (\d+) \|([a-z; ]*)\|/gm)]
  const stated = Object.fromEntries(
    rows.map(([, code = '', verdict = '']) => [code, verdict.trim()]),
  )
  const run = readRun(join(root, 'reports/samples'))
  const verdicts = {
    conformant: 'conformant; no violations found',
    'not-conformant': 'not conformant',
    error: 'could not run',
    undecided: 'undecided',
  } as const
  const codes = Object.entries(verdicts).map(([verdict, words]) => [
    decideExitCode({ ...run, verdict: verdict as Verdict, interrupted: false }),
    words,
  ])
  expect(stated).toEqual({ ...Object.fromEntries(codes), 2: '', [interruptedCode]: '' })
})

test('the changelog is short, and lists each suite', () => {
  const changelog = textOf('CHANGELOG.md')
  expect(changelog.split('\n').length).toBeLessThanOrEqual(160)
  const rows = all(changelog, /^\| ([^|]+) \|/gm).flatMap((cell) => all(cell, /`([a-z-]+)`/g))
  expect(rows.sort()).toEqual([...new Set(catalogue.map(suiteName))].sort())
})
