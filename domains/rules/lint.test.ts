// A file of domains: what is valid, and one line for each mistake.
import { describe, expect, test } from 'vitest'
import { lintDomains } from './lint.ts'

const to = 'www.example.com'
const redirect = { from: 'old.example.com', to, status: 301 }
const file = (redirects: unknown, primary: unknown = to) => ({ domains: { primary, redirects } })
const faultsOf = (value: unknown) => lintDomains(value).faults.map(({ says }) => says)
const status = (value: unknown) => file([{ ...redirect, status: value }])

describe('is valid', () => {
  test('with redirects, brought into one form, and without', () => {
    const given = { from: 'OLD.Bücher.example.', to, status: 308 }
    const { config, faults } = lintDomains(file([given], 'WWW.Example.COM'))
    expect(faults).toEqual([])
    const redirects = [{ ...given, from: 'old.xn--bcher-kva.example' }]
    expect(config).toEqual({ primary: to, redirects })
    const alone = { domains: { primary: 'example.com' } }
    expect(lintDomains(alone).config).toEqual({ primary: 'example.com', redirects: [] })
  })

  test.for([300, 304, 305, 399])('with status %i', (given) => {
    expect(faultsOf(status(given))).toEqual([])
  })

  test('with a chain that does not loop', () => {
    const chain = [redirect, { ...redirect, from: 'older.example.com', to: 'old.example.com' }]
    expect(faultsOf(file(chain))).toEqual([])
  })
})

describe('a mistake is reported in one line:', () => {
  const ofPrimary = [
    ['', 'is empty'],
    ['example.com:8080', 'has a port; give the host alone'],
    ['https://example.com', 'is a URL; give the host alone'],
    ['example.com/docs', 'has a path; give the host alone'],
    ['203.0.113.9', 'is an IP address, not a domain'],
    ['*.example.com', 'is a wildcard; name each domain'],
    ['www\u200b.example.com', 'has an invisible character (U+200B): delete it'],
  ].map(([name, says]) => [file([], name), `domains.primary "${name}" ${says}`] as const)

  const ofRedirect = (own: object | readonly object[], says: string) =>
    [
      file([own].flat().map((each) => ({ ...redirect, ...each }))),
      `domains.redirects${says}`,
    ] as const
  const older = { from: 'older.example.com' }

  test.for([
    [7, 'the file must be an object, is 7'],
    [null, 'the file must be an object, is null'],
    [{}, 'the file must have domains'],
    [{ domains: {} }, 'domains must have primary'],
    [{ ...file([]), extra: 1 }, 'the file must not have extra'],
    [{ ...file([]), '': 1 }, 'the file must not have'],
    [file([], 7), 'domains.primary must be a string, is 7'],
    ...ofPrimary,
    [file({}), 'domains.redirects must be an array, is an object'],
    [file([{ from: 'old.example.com', status: 301 }]), 'domains.redirects[0] must have to'],
    [status(200), 'domains.redirects[0].status must be >= 300, is 200'],
    [status('301'), 'domains.redirects[0].status must be an integer, is "301"'],
    [status(301.5), 'domains.redirects[0].status must be an integer, is 301.5'],
    [status(2n ** 70n), `domains.redirects[0].status must be an integer, is ${2n ** 70n}`],
    ofRedirect(
      [{}, { to: 'example.com' }],
      '[1].from "old.example.com" occurs twice, first in redirects[0]',
    ),
    ofRedirect(
      { from: 'WWW.example.com', to: 'example.com' },
      '[0].from "www.example.com" is the primary domain, which serves',
    ),
    ofRedirect({ to: redirect.from }, '[0].from loops: old.example.com -> old.example.com'),
    ofRedirect(
      [{ to: older.from }, { ...older, to: redirect.from }],
      '[0].from loops: old.example.com -> older.example.com -> old.example.com',
    ),
  ] as const)('%o', ([value, says]) => {
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
