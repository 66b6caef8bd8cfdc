// A file of domains: what is valid, and one line for each mistake.
import { describe, expect, test } from 'vitest'
import { lintDomains } from './lint.ts'

const redirect = { from: 'old.example.com', to: 'www.example.com', status: 301 }
const file = (redirects: unknown, primary: unknown = 'www.example.com') => ({
  domains: { primary, redirects },
})
const faultsOf = (value: unknown) => lintDomains(value).faults.map(({ says }) => says)

describe('is valid', () => {
  test('with redirects, and brought into one form', () => {
    const given = { from: 'OLD.Bücher.example.', to: 'www.example.com', status: 308 }
    const { config, faults } = lintDomains(file([given], 'WWW.Example.COM'))
    expect(faults).toEqual([])
    expect(config).toEqual({
      primary: 'www.example.com',
      redirects: [{ ...given, from: 'old.xn--bcher-kva.example' }],
    })
  })

  test('without redirects', () => {
    const valid = { domains: { primary: 'example.com' } }
    expect(lintDomains(valid).config).toEqual({ primary: 'example.com', redirects: [] })
  })

  test.for([300, 304, 305, 399])('with status %i', (status) => {
    expect(faultsOf(file([{ ...redirect, status }]))).toEqual([])
  })

  test('with a chain that does not loop', () => {
    const chain = [redirect, { ...redirect, from: 'older.example.com', to: 'old.example.com' }]
    expect(faultsOf(file(chain))).toEqual([])
  })
})

describe('a mistake is reported in one line:', () => {
  const status = (value: unknown) => file([{ ...redirect, status: value }])

  test.for([
    ['no object', 7, 'the file must be an object, is 7'],
    ['empty', null, 'the file must be an object, is null'],
    ['no domains', {}, 'the file must have domains'],
    ['no primary', { domains: {} }, 'domains must have primary'],
    ['unknown member', { ...file([]), extra: 1 }, 'the file must not have extra'],
    ['empty member', { ...file([]), '': 1 }, 'the file must not have'],
    ['number', file([], 7), 'domains.primary must be a string, is 7'],
    ['empty text', file([], ''), 'domains.primary "" is empty'],
    [
      'port',
      file([], 'example.com:8080'),
      'domains.primary "example.com:8080" has a port; give the host alone',
    ],
    [
      'URL',
      file([], 'https://example.com'),
      'domains.primary "https://example.com" is a URL; give the host alone',
    ],
    [
      'path',
      file([], 'example.com/docs'),
      'domains.primary "example.com/docs" has a path; give the host alone',
    ],
    [
      'address',
      file([], '203.0.113.9'),
      'domains.primary "203.0.113.9" is an IP address, not a domain',
    ],
    [
      'wildcard',
      file([], '*.example.com'),
      'domains.primary "*.example.com" is a wildcard; name each domain',
    ],
    [
      'invisible',
      file([], 'www\u200b.example.com'),
      'domains.primary "www\u200b.example.com" has an invisible character (U+200B): delete it',
    ],
    ['no list', file({}), 'domains.redirects must be an array, is an object'],
    [
      'no to',
      file([{ from: 'old.example.com', status: 301 }]),
      'domains.redirects[0] must have to',
    ],
    ['status 200', status(200), 'domains.redirects[0].status must be >= 300, is 200'],
    ['status as text', status('301'), 'domains.redirects[0].status must be an integer, is "301"'],
    ['fraction', status(301.5), 'domains.redirects[0].status must be an integer, is 301.5'],
    [
      'beyond',
      status(2n ** 70n),
      `domains.redirects[0].status must be an integer, is ${2n ** 70n}`,
    ],
    [
      'from twice',
      file([redirect, { ...redirect, to: 'example.com' }]),
      'domains.redirects[1].from "old.example.com" occurs twice, first in redirects[0]',
    ],
    [
      'primary as from',
      file([{ ...redirect, from: 'WWW.example.com', to: 'example.com' }]),
      'domains.redirects[0].from "www.example.com" is the primary domain, which serves',
    ],
    [
      'to itself',
      file([{ ...redirect, to: 'old.example.com' }]),
      'domains.redirects[0].from loops: old.example.com -> old.example.com',
    ],
    [
      'loop',
      file([
        { ...redirect, to: 'older.example.com' },
        { ...redirect, from: 'older.example.com', to: 'old.example.com' },
      ]),
      'domains.redirects[0].from loops: old.example.com -> older.example.com -> old.example.com',
    ],
  ] as const)('%s', ([, value, says]) => {
    expect(faultsOf(value)).toEqual([says])
  })

  test('and several mistakes in several', () => {
    const value = { domains: { primary: 7, redirects: [{ ...redirect, status: 200 }], more: 1 } }
    expect(faultsOf(value)).toHaveLength(3)
  })

  test('whatever the file holds', () => {
    const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)
    for (const value of [[], 'text', 7n, undefined, deep, { domains: [] }, file(null)]) {
      expect(faultsOf(value).length).toBeGreaterThan(0)
    }
  })
})
