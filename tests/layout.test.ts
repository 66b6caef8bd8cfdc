// The layout is as designed: each rule holds for the sources, and finds a planted violation.
import { expect, test } from 'vitest'
import * as circle from './layout/circles.ts'
import * as house from './layout/house.ts'
import { readSources, type Source, textOf } from './layout/sources.ts'
import * as style from './layout/style.ts'

const sources = readSources()
const manifest = JSON.parse(textOf('package.json'))

const source = (path: string, ...lines: string[]): Source => ({ path, text: lines.join('\n') })

const rules = { ...house, ...style, ...circle }

test.for(Object.entries(rules))('the sources meet: %s', ([, rule]) => {
  expect(sources.length).toBeGreaterThan(400)
  expect(rule(sources, manifest)).toEqual([])
})

/** A planted violation of each rule; of several files where a rule compares them. */
const planted: readonly (readonly [keyof typeof rules, ...Source[]])[] = [
  ['strayImports', source('suites/list.ts', "import { serve } from '../reference/http-server.ts'")],
  ['strayImports', source('reports/junit.ts', "const all = await import('../suites/index.ts')")],
  [
    'strayImports',
    source('load/burst.ts', 'import {', '  list,', "} from '../suites/get/list.ts'"),
  ],
  ['strayImports', source('index.ts', "import { check } from './cli/commands/check.ts'")],
  ['strayImports', source('attic/old.ts', "import { plans } from '../spec/plans.ts'")],
  ['importedTests', source('tests/whole.ts', "import { pet } from '../spec/plans.test.ts'")],
  ['extraDoors', source('spec/a.ts', "import 'ajv'"), source('cli/b.ts', "import('ajv')")],
  ['extraDoors', source('suites/get.ts', "import type * as fc from 'fast-check'")],
  [
    'deadExports',
    source('spec/a.ts', 'export const dead = 1'),
    source('spec/a.test.ts', "import { dead } from './a.ts'"),
  ],
  ['longLines', source('spec/a.ts', '//'.repeat(51))],
  ['longFiles', source('spec/a.ts', ...Array<string>(301).fill('// a'))],
  ['missingFirstComments', source('bin/a.js', '#!/bin/node', 'run()')],
  ['leftovers', source('spec/a.ts', `// ${['TO', 'DO'].join('')}: later`)],
  ['derivedTypes', source('engine/run/a.ts', 'export type A = ReturnType<typeof createA>')],
  ['vagueNames', source('cli/common/key.ts')],
  ['oddWording', source('spec/a.ts', '// The server is told to wait.')],
  ['oddWording', source('spec/a.ts', 'const linesMost = 300')],
]

test.for(planted)('%s finds a violation', ([rule, ...violation]) => {
  expect(rules[rule](violation, {})).toHaveLength(1)
})

test('circles of files and of folders are found, however long, and of types too', () => {
  const files = [
    source('cli/a/one.ts', "import { two } from '../b/two.ts'"),
    source('cli/b/two.ts', "import { three } from '../c/three.ts'"),
    source('cli/c/three.ts', "import type { One } from '../a/one.ts'", "import '../door.ts'"),
    source('cli/door.ts', 'export const d = 1'),
  ]
  expect(rules.circles(files)).toHaveLength(3)
  expect(rules.folderCircles(files)).toHaveLength(3)
  expect([rules.circles(files.slice(1)), rules.folderCircles(files.slice(1))]).toEqual([[], []])
  const nested = [
    source('suites/list.ts', "import { one } from './list/one.ts'"),
    source('suites/list/one.ts', "import { two } from '../two.ts'"),
  ]
  expect(rules.folderCircles(nested)).toHaveLength(2)
  expect(rules.folderCircles(nested.slice(1))).toEqual([])
})

test('dependencies are those that are imported', () => {
  const files = [
    source('spec/a.ts', "import { parse } from '@scope/used/deep'", "import { b } from 'dev-only'"),
    source('spec/a.test.ts', "import { c } from 'test-only'"),
  ]
  const manifest = {
    dependencies: { '@scope/used': '1', 'test-only': '1' },
    devDependencies: { 'dev-only': '1', vitest: '1', unused: '1', '@types/dev-only': '1' },
  }
  expect(rules.wrongDependencies(files, manifest)).toEqual([
    'nothing that is shipped imports the dependency test-only',
    'nothing imports the development dependency unused',
    'dev-only is imported and is no dependency',
  ])
})
