// The generated pages are current, and the messages of the code are on the page that explains them.
import { expect, test, vi } from 'vitest'
import { main } from '../../cli/main.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { isTest, readSources, textOf } from '../layout/sources.ts'

const capture = async (run: () => Promise<unknown>): Promise<string> => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await run()
  const text = log.mock.calls.flat().join('\n')
  log.mockRestore()
  return text
}

/** Examples follow the list, and look like it. */
const commandsIn = (help: string, prefix: string): string[] => {
  const [list = ''] = (help.split(/^Commands:$/m)[1] ?? '').split(/^\S/m)
  return [...list.matchAll(new RegExp(`^ {2}${prefix} ([a-z]+)`, 'gm'))].map(
    ([, name = '']) => name,
  )
}

const generated = 'Generated: `npx vitest run tests/docs -u` writes this page anew.'

/** The help of every command, by its name: `petvet check`, `petvet domains lint`. */
const allHelp = async (): Promise<ReadonlyMap<string, string>> => {
  const helps = new Map<string, string>()
  const visit = async (...words: string[]): Promise<void> => {
    const name = ['petvet', ...words].join(' ')
    const help = await capture(() => main([...words, '--help']))
    helps.set(name, help)
    for (const inner of commandsIn(help, name)) {
      if (inner !== 'completion') await visit(...words, inner)
    }
  }
  await visit()
  return helps
}

const commandLinePage = (helps: ReadonlyMap<string, string>): string =>
  [
    '# Command line',
    '',
    `What \`--help\` prints. ${generated}`,
    ...[...helps].flatMap(([name, help]) => ['', `## ${name}`, '', '```text', help, '```']),
    '',
  ].join('\n')

interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

const code = (value: unknown): string => `\`${value}\``

const typeOf = (schema: Schema): string => {
  const { type, anyOf, items, minimum, maximum } = schema
  if (schema.enum) return schema.enum.map(code).join(', ')
  if (schema.const !== undefined) return code(schema.const)
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if (items) return `list of ${typeOf(items)}`
  if (typeof schema.additionalProperties === 'object') return 'object of strings'
  const name = typeof type === 'object' ? type.join(' or ') : (type ?? 'any')
  return minimum === undefined ? name : `${name} from ${minimum} to ${maximum}`
}

/** A member and those within it: `keys[].plan`. */
const rowsOf = (name: string, schema: Schema, isRequired: boolean): string[] => {
  const inner = schema.items ?? schema
  const path = schema.items ? `${name}[]` : name
  const own = `| ${code(name)} | ${typeOf(schema)}${isRequired ? ', required' : ''} | ${
    schema.description ?? ''
  } |`
  const members = Object.entries(inner.properties ?? {}).flatMap(([member, its]) =>
    rowsOf(`${path}.${member}`, its, inner.required?.includes(member) ?? false),
  )
  return [own, ...members]
}

const configurationPage = (schema: Schema, example: string): string =>
  [
    '# Configuration',
    '',
    generated,
    '',
    'petvet reads `petvet.config.yaml`, `.yml` or `.json` in the current folder or the nearest',
    'parent that has one. `--config FILE` names another, `--no-config` reads none, and flags win.',
    'An unknown member, an unset `$NAME` or an enterprise key without its numbers is exit code 2.',
    '[The schema](../config/config.schema.json) is for editors and programs.',
    '',
    '```yaml',
    example.trimEnd(),
    '```',
    '',
    '| member | value | meaning |',
    '|---|---|---|',
    ...Object.entries(schema.properties ?? {}).flatMap(([name, its]) => rowsOf(name, its, false)),
    '',
  ].join('\n')

test('docs/cli.md is the help of every command', async () => {
  for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(100)
  const page = commandLinePage(await allHelp())
  await expect(page).toMatchFileSnapshot('../../docs/cli.md')
})

/** The members that few need are in the table alone. */
const example = `target: https://staging.example.com/v1
keys:
  - { plan: free, key: $FREE_KEY }
  - { plan: free, key: $FREE_KEY_2, use: ban }
  - { plan: enterprise, key: $ENT_KEY, perMinute: 5000, perDay: 1000000 }
clock: http://127.0.0.1:8081/clock
categories: [1, "9007199254740993"]
allow: [write, exhaust, ban, day, expose]
shared: false
`

test('docs/configuration.md is the schema, and its example is valid', async () => {
  const schema = JSON.parse(textOf('config/config.schema.json'))
  const own = Object.keys(parseYaml(example) as object)
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(own))
  const page = configurationPage(schema, example)
  await expect(page).toMatchFileSnapshot('../../docs/configuration.md')
})

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

/** String and template literals, without what is between `${` and `}`. */
const literalsIn = (text: string): string[] =>
  [...text.matchAll(/'([^'\n]*)'|`([^`]*)`/g)].flatMap(([, quoted, template = '']) =>
    quoted === undefined ? template.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/) : [quoted],
  )

/** @returns the parts of messages that have two words or more */
const proseIn = (path: string): string[] =>
  literalsIn(withoutComments(textOf(path)))
    .map((literal) => literal.replace(/^[\s:;,(]+|[\s:;,()]+$/g, ''))
    .filter((literal) => /[a-z]\S* \S/.test(literal))

/** The files with the messages of exit code 3, and what they print besides. */
const messages: Readonly<Record<string, readonly string[]>> = {
  'engine/run/smoke.ts': [
    'is not used: the previous run left it waiting for',
    'more minutes',
    'was refused and is not used',
    '200 with a list',
  ],
  'engine/http/network-faults.ts': [],
  'engine/http/connection-options.ts': [
    'all requests go through the proxy',
    'the proxy can read the keys: the target is plain http',
  ],
  'engine/http/http1.ts': ['in two parts'],
  'engine/http/target-clock.ts': [],
  'history/outcome.ts': ['the run was interrupted'],
  'engine/run/run.ts': ['the run ended at the first failure', 'the smoke call ended the run'],
  'engine/run/resume.ts': ['got no response', 'the run was interrupted at', 'and resumed at'],
  'reports/run-folder.ts': [],
}

const spaced = (text: string): string => text.replace(/[\s`]+/g, ' ')

test.for(Object.entries(messages))('each message of %s has its remedy', ([path, others]) => {
  const page = spaced(textOf('docs/troubleshooting.md'))
  const texts = proseIn(path).filter((text) => !others.includes(text))
  expect(texts.length).toBeGreaterThan(0)
  expect(texts.filter((text) => !page.includes(spaced(text)))).toEqual([])
})

/** Faults of petvet itself, or of its reader: the page has them without a test. */
const ofOurs = ['bin/petvet.js', 'cli/main.ts', 'load/run-load.ts']

const endsRun =
  /kind: 'impossible'|\.impossible = |new (?:Wire|Clock)Error|new (?:Local|Write)Fault|exit\(3\)/

test('no other file ends a run with exit code 3', () => {
  const files = readSources()
    .filter((source) => !isTest(source) && /^(?:engine|reports|load|cli|bin)\//.test(source.path))
    .filter(({ text }) => endsRun.test(text))
    .map(({ path }) => path)
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((path) => !ofOurs.includes(path) && !(path in messages))).toEqual([])
})
