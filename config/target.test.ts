// The target of a run: flags win over the file, and a remote target is read only.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { permissions } from '../engine/check/context.ts'
import { emptyFolder, folderWith } from '../tests/e2e/petvet.ts'
import { type Config, findConfig, settingsOf } from './config-file.ts'
import { readTarget } from './target.ts'

const more = { HOST: 'staging.example.com', FOLDER: '.', BIG: '9007199254740993', EMPTY: '' }
const environment = { FREE_KEY: 'secret-1', LINES: 'a\r\nX-Admin: yes', ...more }
const pem = new URL('../engine/http/fixtures/loopback-certificate.pem', import.meta.url)
const certificate = readFileSync(pem, 'utf8')

const read = (given: Config, config = '', named?: string | false) => {
  const folder = folderWith({ 'petvet.config.yaml': config, 'ca.pem': certificate })
  return readTarget(settingsOf(given, findConfig(named, folder), folder), environment)
}

const config = `
target: https://staging.example.com/v1/
keys: [{ plan: free, key: $FREE_KEY }]
categories: [1, 9007199254740993]
headers: { X-Tenant: "\${FREE_KEY}" }
ca: ca.pem
allow: [write]
`

test('variables are read anywhere in every text of the file', () => {
  const config = `
target: https://$HOST/v1
keys: [{ plan: free, key: "\${FREE_KEY}-$HOST" }]
clock: http://$HOST/clock
description: http://$HOST/openapi.json
categories: [$BIG]
headers: { X-A: Token $FREE_KEY, X-B: "$$HOST, \${HOST}" }
ca: $FOLDER/ca.pem
proxy: http://u:$FREE_KEY@$HOST:3128
`
  const target = read({}, config)
  expect(target).toMatchObject({
    baseUrl: 'https://staging.example.com/v1',
    keys: [{ key: 'secret-1-staging.example.com' }],
    clockUrl: 'http://staging.example.com/clock',
    descriptionUrl: 'http://staging.example.com/openapi.json',
    categories: [9007199254740993n],
    headers: [
      ['X-A', 'Token secret-1'],
      ['X-B', '$HOST, staging.example.com'],
    ],
  })
  // What was read for a header is secret, wherever it is; and a password.
  expect(target?.secrets.map(({ name, text }) => `${name}: ${text}`)).toEqual([
    'FREE_KEY: secret-1',
    'HOST: staging.example.com',
    `PETVET_PROXY: ${btoa('u:secret-1')}`,
    'PETVET_PROXY: secret-1',
  ])
  expect(target?.reach.curl[0]).toBe('--proxy "http://u:$FREE_KEY@$HOST:3128"')
})

test('flags replace the values of the file', () => {
  const [pro, free] = [
    { plan: 'pro', key: 'other' },
    { plan: 'free', key: 'key-one' },
  ]
  const flags = { keys: [pro, free], allow: ['none'], categories: ['-5'] }
  expect(read(flags, config)).toMatchObject({
    keys: [{ plan: 'pro' }, { plan: 'free' }],
    allow: [],
    categories: [-5n],
  })
})

describe('permissions and clock of the file', () => {
  const elsewhere = 'https://api.example.com/v1'
  const clocked = `${config}clock: http://127.0.0.1:9/clock\n`
  const other = { target: elsewhere, allow: ['none'] }

  test('do not apply to another target', () => {
    expect(() => read({ target: elsewhere }, config)).toThrow('give --allow, or --allow none')
    expect(read(other, config)?.allow).toEqual([])
    expect(() => read(other, clocked)).toThrow('give --clock URL, or --no-config')
    const clock = 'http://127.0.0.1:8/clock'
    expect(read({ ...other, clock }, clocked)?.clockUrl).toBe(clock)
  })

  test('apply where the same address is given', () => {
    const same = 'https://staging.example.com/v1'
    expect(read({ target: same }, config)?.allow).toEqual(['write'])
  })
})

test('neither address nor file: the built-in reference', () => {
  const folder = emptyFolder()
  const settings = settingsOf({}, findConfig(undefined, folder), folder)
  expect(readTarget(settings, environment)).toBeNull()
  expect(read({}, 'seed: 1', false)).toBeNull()
})

test.for<[string, Config, string]>([
  ['an empty file', {}, ''],
  ['a file of comments', {}, '# nothing yet\n'],
  ['a file without a target', {}, 'seed: 1'],
  ['an empty address', { target: '' }, config],
])('%s does not mean the built-in reference', ([, flags, text]) => {
  expect(() => read(flags, text)).toThrow('no target: ')
})

test.for<[string, Config, string[]]>([
  ['http://127.0.0.1:1/v1', {}, ['write', 'exhaust', 'ban', 'expose']],
  ['http://127.9.9.9/v1', {}, ['write', 'exhaust', 'ban', 'expose']],
  ['http://[::1]:1/v1', {}, ['write', 'exhaust', 'ban', 'expose']],
  ['http://localhost:1/v1', {}, ['write', 'exhaust', 'ban', 'expose']],
  ['http://localhost.example.com/v1', {}, []],
  ['http://127.0.0.1.example.com/v1', {}, []],
  ['https://api.example.com/v1', {}, []],
  // A day is spent only with a test clock.
  ['http://127.0.0.1/v1', { clock: 'http://127.0.0.1/c' }, [...permissions]],
])('without --allow at %s %j: %j', ([url, flags, allow]) => {
  expect(read({ target: url, keys: [{ plan: 'free', key: 'key-1' }], ...flags })?.allow).toEqual(
    allow,
  )
})

describe('is refused with', () => {
  const sameTwice = ['free', 'pro'].map((plan) => ({ plan, key: 'key-1' }))
  const at = 'http://127.0.0.1/v1'
  test.for<[string, Config, string]>([
    ['a password in the address', { target: 'http://u:p@127.0.0.1/v1' }, 'no user or password'],
    ['a query in the address', { target: `${at}?key=1` }, 'without query'],
    ['no address', { target: '127.0.0.1:80' }, 'invalid base URL; expected for example '],
    ['an invalid clock', { target: at, clock: 'noon' }, 'invalid clock; expected for example '],
    ['the same key twice', { target: at, keys: sameTwice }, 'given twice'],
    ['none and more', { target: at, allow: ['none,write'] }, 'unknown permission "none"; '],
    ['an unknown permission', { target: at, allow: ['all'] }, 'unknown permission "all"; '],
    ['a category beyond int64', { target: at, categories: ['9223372036854775808'] }, 'an int64'],
  ])('%s', ([, flags, message]) => {
    expect(() => read({ keys: [{ plan: 'free', key: 'key-1' }], ...flags })).toThrow(message)
  })

  test.for([
    ['keys: [{plan: free, key: key-1, perDay: 5}]', 'has its own'],
    ['keys: [{plan: free, key: key-1}]\nca: petvet.config.yaml', 'no certificate'],
    ['headers: {authorization: x}', 'sets the header authorization itself'],
    ['headers: {TE: x}', 'sets the header TE itself'],
    ['headers: {host: x}', 'sets the header host itself'],
    ['headers: {X: $LINES}', 'be sent'],
    ['headers: {X: "a $FREE_KEY\\n"}', 'the header X ends with a line break: remove it'],
    ['headers: {X: "Token $UNSET"}', 'the header X reads $UNSET, which is not set'],
    ['description: http://$EMPTY/', 'the description reads $EMPTY, which is empty'],
    ['ca: $FOLDER/none.pem', 'cannot read the ca'],
    ['proxy: http://u:password@$HOST', '--proxy must not contain a password'],
    ['headers: {X: "a\\nb"}', 'be sent'],
  ])('%s', ([text = '', message = '']) => {
    expect(() => read({}, `target: ${at}\n${text}`)).toThrow(message)
  })
})
