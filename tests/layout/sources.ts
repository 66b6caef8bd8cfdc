// The sources of the checkout as text, and what each of them imports and exports.
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Source {
  /** From the root of the checkout, with `/` between the parts. */
  readonly path: string
  readonly text: string
}

export interface Import {
  /** The path of one of our files, or the name of a package; `node:` modules are left out. */
  readonly from: string
  readonly ours: boolean
  /** The names taken, or `*` if they are unknown. */
  readonly names: readonly string[] | '*'
}

const outside = ['node_modules', 'dist', 'coverage', 'petvet-runs']

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** @param path from the root */
export const textOf = (path: string): string => readFileSync(posix.join(root, path), 'utf8')

export const readSources = (): Source[] =>
  globSync('**/*.{ts,js}', { cwd: root, exclude: (name) => outside.includes(name) })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: textOf(path) }))

export const isTest = ({ path }: Pick<Source, 'path'>): boolean =>
  path.endsWith('.test.ts') || /^(?:domains\/)?tests\//.test(path)

/** Code that runs only in the checkout: it may import anything, through any door. */
export const isFree = (source: Pick<Source, 'path'>): boolean =>
  isTest(source) || source.path.startsWith('bench/') || source.path.endsWith('.config.ts')

const clause = /(?:[\w$]+\s*,?\s*)?(?:\{[^}]*\}|\*(?:\s+as\s+[\w$]+)?)?/.source
const staticImport = new RegExp(
  `^(?:import|export)\\s+(?:type\\s+)?(${clause})\\s*from\\s*'([^']+)'`,
  'gm',
)
const otherImport = /(?:^import\s+|\bimport\(\s*|\bimport\.meta\.resolve\(\s*)'([^']+)'/gm

export const importsOf = (source: Source): Import[] => [
  ...[...source.text.matchAll(staticImport)].flatMap(([, taken = '', specifier = '']) =>
    toImport(source, specifier, namesIn(taken)),
  ),
  ...[...source.text.matchAll(otherImport)].flatMap(([, specifier = '']) =>
    toImport(source, specifier, '*'),
  ),
]

const toImport = (source: Source, specifier: string, names: Import['names']): Import[] => {
  if (specifier.startsWith('node:')) return []
  if (specifier.startsWith('.')) {
    return [{ from: posix.join(posix.dirname(source.path), specifier), ours: true, names }]
  }
  const parts = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1)
  return [{ from: parts.join('/'), ours: false, names }]
}

const namesIn = (taken: string): Import['names'] => {
  const braces = /\{([^}]*)\}/.exec(taken)?.[1]
  if (braces === undefined) return '*'
  return braces
    .split(',')
    .map((entry) =>
      entry
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s.*$/s, ''),
    )
    .filter((name) => name !== '')
}

const exported = /^export\s+(?:async\s+)?(?:const|let|function\*?|class)\s+([\w$]+)/gm

/** The values a file exports by name. Types are left out: they belong to a signature. */
export const exportsOf = ({ text }: Source): string[] =>
  [...text.matchAll(exported)].flatMap(([, name = '']) => name)
