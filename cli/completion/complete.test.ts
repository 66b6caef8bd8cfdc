// Completion: what may stand at the cursor, and that nothing that takes a value is forgotten.
import { expect, test } from 'vitest'
import { commands } from '../all-commands.ts'
import type { Command } from '../command.ts'
import { answerShell } from './ask.ts'
import { complete } from './complete.ts'
import { sourceOf } from './sources.ts'
import { typedWords } from './typed-words.ts'

/** The last word is the one at the cursor. */
const at = async (...words: string[]) => {
  const { kind, candidates } = await complete(words.slice(0, -1), words.at(-1) ?? '', commands)
  return { kind, words: candidates.map(({ word }) => word) }
}

test.for<[string[], string, string[]]>([
  [['ch'], 'words', ['check']],
  [['domains', 'w'], 'words', ['watch']],
  [['check', '--see'], 'words', ['--seed']],
  [['check', '--seed', '1', '--see'], 'words', []],
  [['check', '--only', 'a', '--onl'], 'words', ['--only']],
  [['check', '--no-m'], 'words', ['--no-mock']],
  [['check', '--key', 'fr'], 'open', ['free=']],
  [['check', '--key=e'], 'open', ['--key=enterprise=']],
  [['check', '--allow', 'write,b'], 'open', ['write,ban']],
  [['check', '--report=html,ju'], 'open', ['--report=html,junit']],
  [['check', '--out', ''], 'files', []],
  [['check', '--seed', ''], 'words', []],
  [['check', '--only', 'list-limit-mo'], 'words', ['list-limit-most']],
  [['check', '--quiet', '--only', 'list.limit.mo'], 'words', ['list.limit.most']],
  [['mutants', '--only', 'list-limit-one-m'], 'words', ['list-limit-one-more']],
  [['serve', '--mutant', 'ban-as-403-u'], 'words', ['ban-as-403-untold']],
  [['explain', 'load-burst-not-m'], 'words', ['load-burst-not-more']],
  [['report', ''], 'files', []],
  [['report', 'run', '--as', 'te'], 'open', ['terminal']],
  [['compare', 'old', 'new', ''], 'words', ['--as', '--json', '--quiet', '--help']],
  [['init', '--ci', 'git'], 'words', ['github', 'gitlab']],
  [['load', '--scenario', 'bu'], 'words', ['burst']],
  [['completion', ''], 'words', ['bash', 'zsh', 'fish']],
])('%j', async ([words, kind, expected]) => {
  expect(await at(...words)).toEqual({ kind, words: expected })
})

const flat = (all: readonly Command[], above: readonly Command[]): (readonly Command[])[] =>
  all.flatMap((each) => [[...above, each], ...flat(each.commands, [...above, each])])

/** Numbers, addresses and texts, which nobody else knows. */
const free = [
  ...[
    'base-url',
    'clock',
    'description',
    'category',
    'seed',
    'seeds',
    'max-requests',
    'max-time',
    'timeout',
  ],
  ...['connections', 'duration', 'port', 'replicas', 'counters', 'platform-host'],
  ...['platform-address', 'site', 'marker', 'path', 'since', 'verified-at', 'resolver'],
  ...['https-port', 'http-port', 'interval', 'for', 'host', 'cert-passphrase', 'proxy', 'ca'],
]

test('of each flag that takes a value it is known what may stand there', () => {
  const unknown = flat(commands, []).flatMap((path) =>
    Object.entries(path.at(-1)?.options ?? {})
      .filter(([, { type }]) => type !== 'boolean')
      .filter(([name]) => sourceOf(path, name) === 'free' && !free.includes(name))
      .map(([name]) => `${path.map((each) => each.name).join(' ')} --${name}`),
  )
  expect(unknown).toEqual([])
})

test.for<[string, { words: string[]; word: string; cut: number }]>([
  ['petvet check --key=fr', { words: ['check'], word: '--key=fr', cut: 6 }],
  ["petvet check --only 'a b' --o", { words: ['check', '--only', 'a b'], word: '--o', cut: 0 }],
  ["petvet explain 'list-l", { words: ['explain'], word: 'list-l', cut: 0 }],
  ['petvet check a\\ b', { words: ['check'], word: 'a b', cut: 0 }],
  ['petvet check http://h:8/v1 ', { words: ['check', 'http://h:8/v1'], word: '', cut: 0 }],
  ['petvet "', { words: [], word: '', cut: 0 }],
])('bash types %j', ([line, typed]) => {
  const point = String(line.length)
  expect(typedWords([`${line} and what follows the cursor`, point, ' \t\n"\'@><=;|&(:'])).toEqual(
    typed,
  )
})

test('the answer is a kind, and a line for each candidate with what it means', async () => {
  expect(await answerShell(['fish', 'domains', 'li'], commands)).toBe(
    'words\nlint\thold the file of the domains against its schema; asks no network\n',
  )
})
