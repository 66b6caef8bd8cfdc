// Faults that no targeted check was written for, after reports of users of frameworks, gateways,
// ORMs and parsers: how many a default run finds, at ten seeds. Those that are found each time are
// mutants too (`reference/mutants/sequences.ts`).
import { expect, test } from 'vitest'
import { isViolation } from '../../engine/check/outcome.ts'
import { runAt } from '../../proof/conditions.ts'
import { letsIn, recognising } from '../../reference/mutants/auth/recognise.ts'
import { reportedRequestMutants } from '../../reference/mutants/sequences.ts'
import { perServer, replacing, type Variant } from '../../reference/variant.ts'
import { failingAt } from '../../reference/wrappers/middleware.ts'
import { storing } from '../../reference/wrappers/pet-store.ts'

const field = (name: string, pattern: RegExp): Variant =>
  failingAt(500, ({ header }) => pattern.test(header(name) ?? ''))

const admitting = (pattern: RegExp): Variant =>
  recognising(letsIn(({ header }) => pattern.test(header('authorization') ?? '')))

/** Numbers that a double cannot tell apart become the one that came first. */
const merging = perServer(() => {
  const seen = new Map<number, bigint>()
  return storing((pet) => {
    const known = seen.get(Number(pet.categoryId)) ?? pet.categoryId
    seen.set(Number(pet.categoryId), known)
    return { ...pet, categoryId: known }
  })
})

const routedAs = (method: (name: string) => string): Variant =>
  replacing('findRoute', ({ findRoute }, name, path) => findRoute(method(name), path))

const usual = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** By the report, what the server does. */
const others: Readonly<Record<string, Variant>> = {
  'trahloff/Aldine#30: a bare % in any cookie': field('cookie', /%(?![0-9a-f]{2})/i),
  'javaee/jersey#2396: a language with a region in digits': field('accept-language', /-\d{3}\b/),
  'mojolicious/mojo#117: several cookies': field('cookie', /;/),
  'dart-lang/sdk#17135: a cookie with quotes': field('cookie', /"/),
  '52North/sensorweb-server-helgoland#450: languages with weights': field('accept-language', /;q=/),
  'ocaml/ocaml.org#205: a first language that has no texts': field(
    'accept-language',
    /^(?!en|fr)./,
  ),
  'plan-player-analytics/Plan#3092: an address that is longer than 15 characters': field(
    'x-forwarded-for',
    /.{16}/,
  ),
  'use-agent-os/agent-os#568: a trusted proxy anywhere in X-Forwarded-For': recognising(
    letsIn(({ header }) => (header('x-forwarded-for') ?? '').includes('10.0.0.1')),
  ),
  'openfoodfacts/openfoodfacts-explorer#1060: the key `null`': admitting(/^Bearer null$/),
  'request/request#1571: the key `undefined`': admitting(/^Bearer undefined$/),
  'K0M15/webserv#33: a method that is not known is GET': routedAs((name) =>
    usual.includes(name.toUpperCase()) ? name : 'GET',
  ),
  'apache/trafficserver#7886: methods in any letter case': routedAs((name) => name.toUpperCase()),
  'nitrite/nitrite-java#1282: neighbours beyond 2^53 are one': merging,
  'guillaumemeyer/watermarks-remover#22: variation selectors are removed': storing((pet) => ({
    ...pet,
    name: pet.name.replaceAll('\ufe0f', ''),
  })),
}

const all: readonly (readonly [string, Variant])[] = [
  ...reportedRequestMutants
    // Its two keys are below, one by one.
    .filter(({ id }) => id !== 'reported-key-of-nothing')
    .map((mutant) => [mutant.id, mutant] as const),
  ...Object.entries(others),
]

const seeds = Array.from({ length: 10 }, (_, at) => at + 1)
/** Of all runs. No method in small letters is sent, and some of the mistaken keys in each run. */
const minShare = 0.8

test('most of the faults that nobody looked for are found', { timeout: 60 * 60_000 }, async () => {
  const table: string[] = []
  let found = 0
  for (const [name, variant] of all) {
    let times = 0
    const by = new Set<string>()
    for (const seed of seeds) {
      const { checks } = await runAt(variant, 'full', seed)
      const failed = checks.filter(({ outcome }) => isViolation(outcome))
      if (failed.length > 0) times += 1
      for (const { id } of failed) by.add(id)
    }
    found += times
    table.push(`${times}/${seeds.length} ${name}: ${[...by].slice(0, 3).join(', ')}`)
  }
  process.stdout.write(`${table.join('\n')}\n`)
  expect(all.length).toBe(20)
  expect(found / (all.length * seeds.length)).toBeGreaterThanOrEqual(minShare)
})
