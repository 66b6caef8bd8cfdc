// What a run is told: flags win over the file, and a target elsewhere is read only.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyFolder } from '../tests/e2e/petvet.ts'
import type { TargetFlags } from './run-flags.ts'
import { readTarget } from './target.ts'

const noFlags: TargetFlags = {
  'base-url': undefined,
  config: undefined,
  key: undefined,
  allow: undefined,
  clock: undefined,
  description: undefined,
  category: undefined,
}

const environment = { FREE_KEY: 'secret', LINES: 'a\r\nX-Admin: yes' }
const pem = new URL('../engine/wire/fixtures/loopback-certificate.pem', import.meta.url)
const certificate = readFileSync(pem, 'utf8')

const read = (flags: Partial<TargetFlags>, config = '') => {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'petvet.config.yaml'), config)
  writeFileSync(join(folder, 'ca.pem'), certificate)
  return readTarget({ ...noFlags, ...flags }, environment, folder, false).target
}

const config = `
target: https://staging.example.com/v1/
keys: [{ plan: free, key: $FREE_KEY }]
categories: [1, 9007199254740993]
headers: { X-Tenant: "\${FREE_KEY}" }
ca: ca.pem
allow: [write]
`

test('the file alone', () => {
  expect(read({}, config)).toEqual({
    baseUrl: 'https://staging.example.com/v1',
    keys: [{ plan: 'free', key: 'secret', quota: { perMinute: 60, perDay: 1000 } }],
    clockUrl: null,
    categories: [1n, 9007199254740993n],
    allow: ['write'],
    descriptionUrl: null,
    shared: false,
    headers: [['X-Tenant', 'secret']],
    secrets: [{ name: 'FREE_KEY', text: 'secret' }],
    reach: {
      ca: certificate,
      identity: null,
      insecure: false,
      proxyOf: expect.any(Function),
      curl: ["--cacert 'ca.pem'", '--http1.1'],
    },
  })
})

test('flags replace what the file says', () => {
  const flags = { key: ['pro=other', 'free=key-one'], allow: ['none'], category: ['-5'] }
  expect(read(flags, config)).toMatchObject({
    keys: [{ plan: 'pro' }, { plan: 'free' }],
    allow: [],
    categories: [-5n],
  })
})

describe('what the file allows at its target', () => {
  const elsewhere = 'https://api.example.com/v1'
  const clocked = `${config}clock: http://127.0.0.1:9/clock\n`

  test('is not allowed at another one, unless it is said again', () => {
    expect(() => read({ 'base-url': elsewhere }, config)).toThrow('say --allow, or --allow none')
    expect(read({ 'base-url': elsewhere, allow: ['none'] }, config)?.allow).toEqual([])
  })

  test('holds where the same address is given', () => {
    const same = 'https://staging.example.com/v1'
    expect(read({ 'base-url': same }, config)?.allow).toEqual(['write'])
  })

  test('nor is its clock that of another', () => {
    const other = { 'base-url': elsewhere, allow: ['none'] }
    expect(() => read(other, clocked)).toThrow('say --clock URL, or --no-config')
    const clock = 'http://127.0.0.1:8/clock'
    expect(read({ ...other, clock }, clocked)?.clockUrl).toBe(clock)
  })
})

test('neither address nor file: the built-in reference', () => {
  expect(readTarget(noFlags, environment, emptyFolder(), false).target).toBeNull()
  expect(read({ config: false }, 'seed: 1')).toBeNull()
})

test.for([
  ['an empty file', {}, ''],
  ['a file of comments', {}, '# nothing yet\n'],
  ['a file without a target', { config: 'petvet.config.yaml' }, 'seed: 1'],
  ['an empty address', { 'base-url': '' }, config],
] as const)('%s is no leave to vet the reference', ([, flags, text]) => {
  expect(() => read(flags, text)).toThrow('no target: ')
})

describe('without --allow', () => {
  test.for([
    ['http://127.0.0.1:1/v1', ['write', 'exhaust', 'ban']],
    ['http://127.9.9.9/v1', ['write', 'exhaust', 'ban']],
    ['http://[::1]:1/v1', ['write', 'exhaust', 'ban']],
    ['http://localhost:1/v1', ['write', 'exhaust', 'ban']],
    ['http://localhost.example.com/v1', []],
    ['http://127.0.0.1.example.com/v1', []],
    ['https://api.example.com/v1', []],
  ] as const)('%s may %s', ([url, allow]) => {
    expect(read({ 'base-url': url, key: ['free=key-1'] })?.allow).toEqual(allow)
  })

  test('a day is spent only by a test clock', () => {
    const flags = {
      'base-url': 'http://127.0.0.1/v1',
      key: ['free=key-1'],
      clock: 'http://127.0.0.1/c',
    }
    expect(read(flags)?.allow).toEqual(['write', 'exhaust', 'ban', 'day'])
  })
})

describe('is refused with', () => {
  const at = 'http://127.0.0.1/v1'
  test.for([
    ['a password in the address', { 'base-url': 'http://u:p@127.0.0.1/v1' }, 'no user or password'],
    ['a query in the address', { 'base-url': `${at}?key=1` }, 'without a query'],
    ['no address', { 'base-url': '127.0.0.1:80' }, 'is no address'],
    ['the same key twice', { 'base-url': at, key: ['free=key-1', 'pro=key-1'] }, 'given twice'],
    ['a key that is too short', { 'base-url': at, key: ['free=abc'] }, 'shorter than 4'],
    ['a key with a line end', { 'base-url': at, key: ['free=key\nb'] }, 'no bearer token'],
    ['none and more', { 'base-url': at, allow: ['none,write'] }, 'none stands alone'],
    ['a category beyond int64', { 'base-url': at, category: ['9223372036854775808'] }, 'an int64'],
  ] as const)('%s', ([, flags, message]) => {
    expect(() => read({ key: ['free=key-1'], ...flags } as Partial<TargetFlags>)).toThrow(message)
  })

  test.for([
    [
      'a plan that has its own numbers',
      'keys: [{plan: free, key: key-1, perDay: 5}]',
      'has its own',
    ],
    [
      'no certificate',
      'keys: [{plan: free, key: key-1}]\nca: petvet.config.yaml',
      'no certificate',
    ],
    [
      'a header of its own for keys',
      'keys: [{plan: free, key: key-1}]\nheaders: {authorization: x}',
      'keys are',
    ],
    [
      'a header of a connection',
      'keys: [{plan: free, key: key-1}]\nheaders: {TE: x}',
      'belongs to',
    ],
    ['a Host', 'keys: [{plan: free, key: key-1}]\nheaders: {host: x}', 'the header Host is'],
    [
      'a header with a line end of the environment',
      'keys: [{plan: free, key: key-1}]\nheaders: {X: $LINES}',
      'be sent',
    ],
    [
      'a header that cannot be sent',
      'keys: [{plan: free, key: key-1}]\nheaders: {X: "a\\nb"}',
      'be sent',
    ],
  ])('%s', ([, text = '', message = '']) => {
    expect(() => read({}, `target: ${at}\n${text}`)).toThrow(message)
  })
})
