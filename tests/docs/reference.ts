// The pages that are generated: the command line from its help, the configuration from its schema.
import { main } from '../../cli/main.ts'

/** @returns what is printed while `run` is called */
type Capture = (run: () => Promise<unknown>) => Promise<string>

const commandsIn = (help: string, prefix: string): string[] =>
  [...help.matchAll(new RegExp(`^ {2}${prefix} ([a-z]+)`, 'gm'))].map(([, name = '']) => name)

const generated = 'Generated: `npx vitest run tests/docs -u` writes this page anew.'

/** The help of every command, by its name: `petvet check`, `petvet domains lint`. */
export const allHelp = async (capture: Capture): Promise<ReadonlyMap<string, string>> => {
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

export const commandLinePage = (helps: ReadonlyMap<string, string>): string =>
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

export const configurationPage = (schema: Schema, example: string): string =>
  [
    '# Configuration',
    '',
    generated,
    '',
    'petvet reads `petvet.config.yaml`, `.yml` or `.json` in the current folder or the nearest',
    'parent that has one. `--config FILE` names another, `--no-config` reads none, and flags win.',
    'An unknown member, an unset `$NAME` or an enterprise key without its numbers is exit code 2.',
    '[The schema](../cli/config.schema.json) is for editors and programs.',
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
