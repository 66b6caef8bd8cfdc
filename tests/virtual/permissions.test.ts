// In virtual time: a run sends nothing that needs a permission which it was not given, whatever the
// server, and only the ban probe uses a refused key before the stated time, with every design;
// judged by what passed over the wire, and not by what the checks declare. What is sent breaks a
// syntax at most: a target that evaluates it deletes, ends, reads and calls nothing, as the store
// of a staging system may hold data that matters.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Permission, permissions } from '../../engine/check/context.ts'
import { servers as variants } from '../../proof/subjects.ts'
import { chances } from '../../proof/virtual.ts'
import type { Variant } from '../../reference/variant.ts'
import { catalogue } from '../../suites/index.ts'
import { riskyNames } from '../../suites/pets/arbitraries.ts'
import { isProof, sample } from '../sample.ts'
import { keyOf, twoFree } from '../vet-reference.ts'
import { legalVariant } from './designs.ts'
import { impatient, statedMs, trespasses } from './not-permitted.ts'
import { type Act, trafficOf } from './traffic.ts'
import { banned, plainWorlds, smallDay, vetVariant, vetVirtually, withoutClock } from './vet.ts'

/** One key; two of a plan, of which one is for bans; and a day that is smaller than the work. */
const keySets = {
  'one key': [keyOf('free', 'one')],
  'two keys': twoFree,
  'a small day': [keyOf('enterprise', 'small', smallDay)],
} as const

interface Server {
  readonly does: string
  readonly variant: Variant
  readonly isLegal: boolean
}

const limited = variants.filter(({ suite }) => suite === 'limits' || suite === 'days')

const servers: readonly Server[] = [
  ...plainWorlds.map(([does, { design }]) => ({
    does,
    variant: legalVariant(design),
    isLegal: true,
  })),
  ...limited.map(({ id, variant, kind }) => ({ does: id, variant, isLegal: kind === 'legal' })),
]

/** Every subset of the permissions. */
const subsets: readonly (readonly Permission[])[] = Array.from(
  { length: 2 ** permissions.length },
  (_, mask) => permissions.filter((_permission, at) => (mask >> at) % 2 === 1),
)

const cases = subsets.flatMap((allow) =>
  servers.flatMap((server) =>
    Object.entries(keySets).flatMap(([which, keys]) =>
      [true, false].map((hasClock) => ({ allow, server, which, keys, hasClock })),
    ),
  ),
)

/** A random one of every fifth subset. */
const sampled = () => {
  const chance = chances(11)
  return sample(subsets, 5).map((allow) => {
    const own = cases.filter((each) => each.allow === allow)
    return own[Math.floor(chance() * own.length)] as (typeof cases)[number]
  })
}

/** Every seventh of twenty-four thousand. */
const proven = () => cases.filter((_, at) => at % 7 === 0)

const chosen = (isProof ? proven() : sampled()).map(
  (each) =>
    [
      `${each.allow.join() || 'reads only'}: ${each.server.does}, ${each.which}, ` +
        `${each.hasClock ? 'with' : 'without'} a clock`,
      each,
    ] as const,
)

test.each(chosen)(
  'nothing is sent without its permission %s',
  async (_name, { allow, server, keys, hasClock }) => {
    const where = { ...withoutClock, hasClock, allow }
    const { run, passed } = await vetVariant(server.variant, keys, where, catalogue)
    expect(passed.length).toBeGreaterThan(30)
    expect(run.impossible).toBeNull()
    expect(trespasses(passed, keys, allow, server.isLegal)).toEqual([])
  },
)

/** What a text may do where it is evaluated. */
const active: Readonly<Record<string, RegExp>> = {
  'changes tables': /\b(?:drop|truncate|alter|create)\s+(?:table|database)\b/i,
  'changes rows': /\b(?:delete\s+from|insert\s+into|update\s+\S+\s+set)\b/i,
  'reads or runs what the database may': /load_file|into\s+outfile|xp_\w|pg_\w+\(|sleep\s*\(/i,
  // What is always true makes a statement about one row one about all.
  'widens a condition': /\bor\s+(['"]?)(\w+)\1\s*=\s*\1\2\b/i,
  'runs a command':
    /\b(?:rm|mv|dd|ls|cat|sh|touch|kill|chmod|curl|wget|nc|ping)\s+[-/~\w]*[/-]|>\s*\/|>_/,
  'ends or replaces a process': /\b(?:exit|abort|quit|halt|die|exec|fork|shutdown)\b\s*[({'"]/i,
  // INT_MIN / -1 traps; this double never ended in some parsers.
  'ends or blocks a process': /-(?:2147483648|9223372036854775808)\/-1|2\.2250738585072011e-308/,
  'reads or overwrites a file':
    /\/(?:etc|proc|tmp|dev|home|root)\/|passwd|win\.ini|\.htaccess|(?:\.\.[/\\]){2}/i,
  'calls out': /\b(?:jndi|ldap|gopher|file|ftp|dict):/i,
  // Names of the kind `shop.example` never resolve (RFC 2606).
  'calls another host': /\/\/(?!(?:[\w-]+\.)*(?:example|localhost)\b)[\w-]+\.[a-z]{2,}/i,
  'declares an entity': /<!(?:doctype|entity)|xinclude/i,
  'reaches the runtime':
    /__import__|\bgetruntime|processbuilder|process\.(?:env|main|exit)|require\(/i,
  'reads or writes memory':
    /%(?:\d+\$)?[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|[hlqjzt]{1,2})?[sn](?![\da-f])/,
}

const faultsOf = (texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    Object.entries(active).flatMap(([does, sign]) => (sign.test(text) ? `${does}: ${text}` : [])),
  )

const stringsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap(stringsIn)

const folder = new URL('../../suites/vocabulary/', import.meta.url)

test.each(readdirSync(folder))('%s is inert', (file) => {
  const { source, notice, ...vocabulary } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
  const texts = stringsIn(vocabulary)
  expect(texts.length).toBeGreaterThan(20)
  expect(faultsOf(texts)).toEqual([])
})

test('a run with every permission needs each of them, and sends what is inert', async () => {
  const where = { ...withoutClock, hasClock: true }
  const { passed } = await vetVariant({}, twoFree, where, catalogue)
  const texts = passed.map(({ others }) => others)
  expect(texts.join('\n')).toContain(riskyNames.markup[0]?.[0])
  expect(faultsOf(texts)).toEqual([])
  const found = (allow: readonly Permission[]) =>
    trespasses(passed, twoFree, allow, true).join('\n')
  expect(found([])).toContain('POST without write')
  expect(found(['write', 'ban', 'day', 'expose'])).toContain('was driven to a 429')
  expect(found(['write', 'exhaust', 'day'])).toMatch(/ms early/)
  expect(found(['write', 'exhaust', 'ban'])).toContain('in the day up to')
  // Only the key that may be banned is exposed.
  const exposed = `${twoFree[1]?.key} was sent outside Authorization`
  expect(found(['write', 'exhaust', 'ban', 'day'])).toBe(exposed)
  expect(found(permissions)).toBe('')
})

/** Ordinary work that runs into the quota again and again. */
const busy: readonly Act[] = Array.from({ length: 12 }, () => ({
  kind: 'calls',
  of: Array.from({ length: 20 }, (_, place) => (place % 4 === 3 ? 'create' : 'list')),
}))

test.each(sample(plainWorlds, 5))(
  'a refusal that another client causes is waited for, %s',
  async (_, world) => {
    const foreign = { pauseMs: 300, even: false, crowd: 7, obeys: true, seed: 3 }
    const { passed } = await vetVirtually({ ...world, foreign }, trafficOf(busy))
    expect(passed.filter((each) => statedMs(each) !== undefined)).not.toEqual([])
    expect(impatient(passed, banned)).toEqual([])
  },
)

test.each([
  ...["'; DROP TABLE pets;--", "' OR 1=1 --", 'rm -rf /', 'exit(1)', '$(touch /tmp/x)'],
  ...['../../etc/passwd', `\${jndi:ldap://a.io/x}`, 'http://ha.ckers.org/x', 'file:///x', '%n'],
  ...['<!DOCTYPE x [', 'Kernel.exec("x")', '%*.*s', '-2147483648/-1'],
])('%s is not', (text) => {
  expect(faultsOf([text])).not.toEqual([])
})
