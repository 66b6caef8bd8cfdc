// The configuration file: read exactly, its mistakes reported with their lines.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyFolder, folderWith } from '../tests/e2e/petvet.ts'
import { findConfig } from './config-file.ts'

const readConfig = (name: string, text: string) =>
  findConfig(name, folderWith({ [name]: text })).config

test('every member is read', () => {
  const text = `target: https://staging.example.com/v1
keys:
  - { plan: free, key: $FREE_KEY, use: ban }
  - { plan: enterprise, key: $ENT_KEY, perMinute: 5000, perDay: 1000000 }
categories: [1, "9007199254740993", -9223372036854775808]
allow: [write]
shared: false`
  expect(readConfig('c.yaml', text)).toEqual({
    target: 'https://staging.example.com/v1',
    keys: [
      { plan: 'free', key: '$FREE_KEY', use: 'ban' },
      { plan: 'enterprise', key: '$ENT_KEY', perMinute: 5000, perDay: 1000000 },
    ],
    categories: [1, '9007199254740993', '-9223372036854775808'],
    allow: ['write'],
    shared: false,
  })
})

test('an empty file sets nothing', () => {
  expect(readConfig('c.yaml', '# nothing yet\n')).toEqual({})
})

describe('is refused with', () => {
  test.for([
    ['an unknown member', 'target: x\nkeyz: []', 'c, line 2: keyz is unknown; did you mean keys?'],
    ['a member of a key', 'target: x\nkey: []', 'c, line 2: key is unknown; did you mean keys?'],
    [
      'an unknown member of a key',
      'keys:\n  - plan: free\n    key: a\n  - plan: free\n    key: b\n    perHour: 1',
      'c, line 6: /keys/1 may have plan, key, perMinute, perDay, use, and nothing else',
    ],
    ['a plan', 'keys:\n  - {plan: gold, key: a}', 'c, line 2: /keys/0/plan must be one of'],
    ['a member of JSON', '{\n"target": "x",\n"sharde": true\n}', 'c, line 3: sharde is unknown'],
    ['a permission', 'seed: 1\nallow:\n  [write,\n  all]', 'c, line 4: /allow/1 must be one of'],
    [
      'a name that is part of a value before it',
      'target: http://127.0.0.1/v1 # seed: 2\nshared: true\nseed: 2.5',
      'c, line 3: /seed must be',
    ],
    ['a seed beyond its bounds', 'seed: 2147483648', 'c, line 1: /seed must be <= 2147483647'],
    ['what is no YAML', 'keys: [', 'c: '],
    ['a list', '- target: x', 'the value must be an object'],
  ])('%s', ([, text = '', message = '']) => {
    expect(() => readConfig('c', text)).toThrow(message)
  })

  test('a key that is no text, which is not repeated', () => {
    const read = () => readConfig('c', 'keys: [{ plan: free, key: 12345 }]')
    expect(read).toThrow('/keys/0/key must be a string')
    expect(read).not.toThrow('12345')
  })
})

test.for([
  ...['keys: free=sk_live_1', 'keys:\n  - { plan: sk_live_1, key: free }'],
  'keys:\n  - { plan: free, key: $KEY, sk_live_1: free }',
  ...['keys:\n  - { plan: free, key: $KEY, perMinute: sk_live_1 }', 'FREE_KEY=sk_live_1'],
  ...["headers: 'X-Api-Key: sk_live_1'", 'headers: { X-Api-Key: 12345678 }'],
  'keys:\n  - { plan: free, key: *sk_live_1 }',
  'keys:\n  - { plan: free, key: !sk_live_1 }',
  'keys:\n  - { plan: free, key: !!sk_live_1 x }',
  'keys:\n  - plan: free\n    key: |sk_live_1',
  'keys:\n  - plan: free\n    key: >sk_live_1',
])('what may be a key is not repeated: %s', (text) => {
  const read = () => readConfig('c', text)
  expect(read).toThrow(/^\S+\/c(?:, line \d+)?: ./)
  expect(read).not.toThrow(/live|12345678/)
})

test('a text given instead of a file is not repeated', () => {
  const text = 'target: http://127.0.0.1/v1\nkeys: [{ plan: free, key: sk_live_1 }]\n'
  const says = 'cannot read the configuration (ENOENT): give the path of a file, not its text'
  expect(() => findConfig(text, emptyFolder())).toThrow(says)
})

test('is found in the folder, unless another one or none is requested', () => {
  const folder = folderWith({ 'petvet.config.json': '{"seed": 1}', 'mine.yaml': 'seed: 2' })
  expect(findConfig(undefined, folder).config).toEqual({ seed: 1 })
  expect(findConfig('mine.yaml', folder).config).toEqual({ seed: 2 })
  expect(findConfig(false, folder)).toMatchObject({ file: null, folder, config: {} })
  expect(() => findConfig('none.yaml', folder)).toThrow('ENOENT')
  writeFileSync(join(folder, 'petvet.config.yaml'), 'seed: 3')
  expect(() => findConfig(undefined, folder)).toThrow('both exist: choose one with --config')
  expect(findConfig('petvet.config.json', folder).config).toEqual({ seed: 1 })
})

test('is found in the nearest parent, as .yml too', () => {
  const folder = folderWith({ 'petvet.config.yml': 'seed: 1', 'packages/api/app.ts': '' })
  const below = join(folder, 'packages', 'api')
  expect(findConfig(undefined, below)).toMatchObject({ folder, config: { seed: 1 } })
  writeFileSync(join(folder, 'packages', 'petvet.config.json'), '{"seed": 2}')
  expect(findConfig(undefined, below).config).toEqual({ seed: 2 })
})

test('all mistakes are reported at once, each with its line', () => {
  const text = 'seed: x\nkeyz: []\nshared: 3'
  const read = () => readConfig('c.yaml', text)
  for (const line of ['line 1: /seed', 'line 2: keyz', 'line 3: /shared']) {
    expect(read).toThrow(line)
  }
})
