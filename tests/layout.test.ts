// The layout is as designed: each rule holds for the sources, and finds a planted violation.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as circle from './layout/circles.ts'
import * as house from './layout/house.ts'
import { readSources, root, type Source } from './layout/sources.ts'
import * as style from './layout/style.ts'

const sources = readSources()
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const source = (path: string, ...lines: string[]): Source => ({ path, text: lines.join('\n') })

describe('the sources meet', () => {
  test.for(Object.entries({ ...house, ...style, ...circle }))('%s: none', ([, rule]) => {
    expect(rule(sources, manifest)).toEqual([])
  })
})

test('the sources are all found', () => {
  const paths = sources.map(({ path }) => path)
  expect(paths).toContain('bin/petvet.js')
  expect(paths).toContain('spec/plans.ts')
  expect(paths).toContain('tests/layout.test.ts')
  expect(paths.filter((path) => path.includes('node_modules'))).toEqual([])
})

describe('a stray import', () => {
  test.for([
    ['suites/list.ts', "import { serve } from '../reference/serve.ts'"],
    ['reference/serve.ts', "import type { Check } from '../engine/check.ts'"],
    ['engine/check.ts', "export { list } from '../list.ts'"],
    ['spec/plans.ts', "import '../cli/main.ts'"],
    ['reports/junit.ts', "const all = await import('../suites/index.ts')"],
    ['load/burst.ts', 'import {', '  list,', "} from '../suites/list.ts'"],
    ['attic/old.ts', "import { plans } from '../spec/plans.ts'"],
  ])('in %s', ([path = '', ...lines]) => {
    expect(house.strayImports([source(path, ...lines)])).toHaveLength(1)
  })

  test('is not one that follows the direction, or is in a test', () => {
    const valid = [
      source('suites/list.ts', "import { check } from '../engine/check.ts'"),
      source('engine/check.ts', "import { plans } from '../spec/plans.ts'"),
      source('cli/main.ts', "import { serve } from '../reference/serve.ts'"),
      source('suites/list.test.ts', "import { serve } from '../reference/serve.ts'"),
      source('bench/main.ts', "import { serve } from '../reference/serve.ts'"),
    ]
    expect(house.strayImports(valid)).toEqual([])
  })
})

test('a circle is found, however long, and also one of types', () => {
  const planted = [
    source('spec/a.ts', "import { b } from './b.ts'"),
    source('spec/b.ts', "import { c } from './c.ts'"),
    source('spec/c.ts', "import type { A } from './a.ts'", "import { d } from './d.ts'"),
    source('spec/d.ts', 'export const d = 1'),
  ]
  expect(circle.circles(planted)).toHaveLength(3)
  expect(circle.circles(planted.slice(1))).toEqual([])
})

test('folders next to each other that import each other are found', () => {
  const planted = [
    source('cli/a/one.ts', "import { two } from '../b/two.ts'"),
    source('cli/b/other.ts', "import { one } from '../a/one.ts'"),
    source('cli/c/three.ts', "import { one } from '../a/one.ts'", "import '../door.ts'"),
    source('cli/door.ts', "import { three } from './c/three.ts'"),
  ]
  expect(circle.folderCircles(planted)).toHaveLength(3)
  expect(circle.folderCircles(planted.slice(1))).toEqual([])
})

test('a test is not imported', () => {
  const violation = source('tests/whole.test.ts', "import { pet } from '../spec/plans.test.ts'")
  expect(house.importedTests([violation])).toHaveLength(1)
})

describe('a package comes in through one door', () => {
  const ajv = "import { Ajv2020 } from 'ajv/dist/2020.js'"
  const fastCheck = "import type * as fc from 'fast-check'"

  test.for([
    ['two files', [source('spec/a.ts', ajv), source('cli/b.ts', ajv)]],
    ['a file that is no door', [source('suites/list.ts', fastCheck)]],
    ['a dynamic import', [source('spec/a.ts', ajv), source('cli/b.ts', "import('ajv')")]],
  ] as const)('not %s', ([, planted]) => {
    expect(house.extraDoors(planted)).toHaveLength(1)
  })

  test('and tests use any', () => {
    const free = [source('spec/a.ts', ajv), source('spec/a.test.ts', ajv, fastCheck)]
    expect(house.extraDoors(free)).toEqual([])
  })
})

test('dependencies are those that are imported', () => {
  const planted = [
    source('spec/a.ts', "import { parse } from '@scope/used/deep'", "import { b } from 'dev-only'"),
    source('spec/a.test.ts', "import { c } from 'test-only'"),
  ]
  const { wrongDependencies } = house
  expect(
    wrongDependencies(planted, {
      dependencies: { '@scope/used': '1', 'test-only': '1' },
      devDependencies: { 'dev-only': '1', vitest: '1', unused: '1', '@types/dev-only': '1' },
    }),
  ).toEqual([
    'nothing that is shipped imports the dependency test-only',
    'nothing imports the development dependency unused',
    'dev-only is imported and is no dependency',
  ])
})

test('an export that only a test imports is dead', () => {
  const planted = [
    source('spec/a.ts', 'export const used = 1', 'export const dead = 2', 'export interface A {}'),
    source('spec/a.test.ts', "import { dead } from './a.ts'"),
    source('spec/b.ts', 'export function whole() {}'),
    source(
      'cli/c.ts',
      "import { type A, used as one } from '../spec/a.ts'",
      "import('../spec/b.ts')",
    ),
    source('cli/main.ts', 'export const main = 3'),
  ]
  expect(house.deadExports(planted)).toEqual(['nothing imports spec/a.ts > dead'])
})

describe('style', () => {
  const lines = (count: number) => source('spec/a.ts', ...Array<string>(count).fill('// a'))

  test.for([
    ['a long line', style.longLines, source('spec/a.ts', '//'.repeat(51))],
    ['a long file', style.longFiles, lines(301)],
    ['no first comment', style.missingFirstComments, source('spec/a.ts', 'export {}')],
    ['a shebang alone', style.missingFirstComments, source('bin/a.js', '#!/bin/node', 'run()')],
    ['a leftover', style.leftovers, source('spec/a.ts', `// ${['TO', 'DO'].join('')}: later`)],
    ['a focused test', style.focusedTests, source('a.test.ts', ['test.on', 'ly('].join(''))],
    ['a vague file', style.vagueNames, source('spec/utils.ts')],
    ['a vague folder', style.vagueNames, source('cli/common/key.ts')],
    ['an odd word', style.oddWording, source('spec/a.ts', '// The server is told to wait.')],
    ['a bound named last', style.oddWording, source('spec/a.ts', 'const linesMost = 300')],
    ['an odd verb', style.oddWording, source('spec/a.ts', 'const tellRun = print')],
  ] as const)('finds %s', ([, rule, violation]) => {
    expect(rule([violation])).toHaveLength(1)
  })

  test('takes what is within the limits', () => {
    expect(style.longLines([source('spec/a.ts', '//'.repeat(50))])).toEqual([])
    expect(style.longFiles([lines(200)])).toEqual([])
    expect(style.missingFirstComments([source('bin/a.js', '#!/bin/node', '// Runs.')])).toEqual([])
    expect(style.vagueNames([source('spec/content-types.ts')])).toEqual([])
    const plain = source('spec/a.ts', "const atMost = 'ban-longer-than-told'", 'expectAtMost(1)')
    expect(style.oddWording([plain, source('tests/layout/style.ts', '// told')])).toEqual([])
  })
})
