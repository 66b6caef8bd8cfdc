// The rules of the house: who may import whom, and through which door a package comes in.
import { exportsOf, type Import, importsOf, isFree, isTest, type Source } from './sources.ts'

const work = [
  'causes/',
  'spec/',
  'history/',
  'model/',
  'reference/',
  'engine/',
  'suites/',
  'load/',
  'traffic/',
  'reports/',
]
/** What a program gets: no command, no demo, no load. */
const api = [
  ...['spec/', 'history/', 'model/', 'engine/', 'suites/', 'causes/', 'traffic/', 'reports/'],
  'config/',
]

/**
 * What each room may import besides itself; the longest prefix of a path is its room. A room that
 * may be imported includes its inner rooms.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'spec/': [],
  'reference/': ['spec/'],
  'history/': ['spec/'],
  'model/': ['spec/', 'history/'],
  'engine/check/': ['spec/', 'history/', 'model/'],
  'engine/http/': ['spec/', 'history/', 'model/', 'engine/check/'],
  'engine/quota/': ['spec/', 'history/', 'model/', 'engine/check/', 'engine/http/'],
  'engine/run/': ['spec/', 'history/', 'model/', 'engine/check/', 'engine/http/', 'engine/quota/'],
  'suites/': ['spec/', 'history/', 'model/', 'engine/'],
  'causes/': ['spec/', 'history/', 'model/', 'engine/'],
  'load/': ['spec/', 'history/', 'model/', 'engine/'],
  'traffic/': ['spec/', 'history/', 'model/', 'engine/', 'causes/'],
  'reports/': ['spec/', 'history/', 'model/', 'engine/'],
  'domains/rules/': ['spec/'],
  'domains/demo/': ['spec/', 'domains/rules/'],
  'domains/faults/': ['spec/', 'domains/rules/', 'domains/demo/'],
  'domains/check/': ['spec/', 'history/', 'model/', 'engine/', 'domains/rules/'],
  'domains/check/acquire/': [
    'spec/',
    'history/',
    'model/',
    'engine/',
    'domains/rules/',
    'domains/check/',
  ],
  'domains/': ['spec/', 'history/', 'model/', 'engine/', 'domains/'],
  'config/': ['spec/', 'history/', 'model/', 'engine/', 'suites/'],
  'proof/': [...work, 'config/', 'domains/'],
  'cli/': [...work, 'config/', 'domains/', 'proof/'],
  'index.ts': api,
  'vitest.ts': api,
  // What the build writes.
  'dist/': [],
  'bin/': ['dist/'],
}

const roomOf = (path: string): string | undefined =>
  Object.keys(rooms)
    .filter((room) => path.startsWith(room))
    .sort((a, b) => b.length - a.length)[0]

const doors: Readonly<Record<string, readonly string[]>> = {
  // Whatever generates values.
  'fast-check': [
    'suites/pets/arbitraries.ts',
    'suites/rate-limit/count-walk.ts',
    'suites/create/faults.ts',
    'suites/get/list.ts',
    'suites/get/addresses.ts',
    'suites/get/ids.ts',
    'engine/check/declare.ts',
    'engine/check/row.ts',
    'suites/walks/scene.ts',
    'suites/walks/draw-steps.ts',
  ],
  undici: ['engine/http/http1.ts', 'load/connection.ts'],
}

/** Files that are started, not imported by name. */
const isEntry = (path: string): boolean => ['index.ts', 'vitest.ts', 'cli/main.ts'].includes(path)

const eachImport = (sources: readonly Source[]): { path: string; taken: Import }[] =>
  sources.flatMap((source) => importsOf(source).map((taken) => ({ path: source.path, taken })))

export const strayImports = (sources: readonly Source[]): string[] =>
  eachImport(sources.filter((source) => !isFree(source))).flatMap(({ path, taken }) => {
    if (!taken.ours) return []
    const room = roomOf(path)
    if (room === undefined) return [`${path} is in no known folder`]
    const other = roomOf(taken.from)
    const allowed = other === room || rooms[room]?.some((each) => other?.startsWith(each))
    return allowed ? [] : [`${path} must not import ${taken.from}`]
  })

export const importedTests = (sources: readonly Source[]): string[] =>
  eachImport(sources)
    .filter(({ taken }) => taken.from.endsWith('.test.ts'))
    .map(({ path, taken }) => `${path} imports the test ${taken.from}`)

export const extraDoors = (sources: readonly Source[]): string[] => {
  const importers = packageImporters(sources)
  return [...importers].flatMap(([name, paths]) => {
    const allowed = doors[name]
    if (allowed === undefined) {
      return paths.size > 1 ? [`${name} has several doors: ${[...paths].join(', ')}`] : []
    }
    return [...paths]
      .filter((path) => !allowed.includes(path))
      .map((path) => `${path} is no door of ${name}`)
  })
}

const packageImporters = (sources: readonly Source[]): Map<string, Set<string>> => {
  const importers = new Map<string, Set<string>>()
  for (const { path, taken } of eachImport(sources.filter((source) => !isFree(source)))) {
    if (taken.ours) continue
    importers.set(taken.from, (importers.get(taken.from) ?? new Set()).add(path))
  }
  return importers
}

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Packages that are there to be run, not imported. */
const tools = ['@biomejs/biome', 'node', 'typescript', 'vitest']

export const wrongDependencies = (sources: readonly Source[], manifest: Manifest): string[] => {
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = manifest
  const shipped = packageImporters(sources)
  const imported = new Set(eachImport(sources).map(({ taken }) => taken.from))
  const isTyped = (name: string) =>
    name === '@types/node' || imported.has(name.replace(/^@types\//, ''))
  return [
    ...Object.keys(dependencies)
      .filter((name) => !shipped.has(name))
      .map((name) => `nothing that is shipped imports the dependency ${name}`),
    ...Object.keys(devDependencies)
      .filter((name) => !tools.includes(name) && !imported.has(name) && !isTyped(name))
      .map((name) => `nothing imports the development dependency ${name}`),
    ...[...shipped.keys()]
      .filter((name) => ![dependencies, peerDependencies].some((all) => name in all))
      .map((name) => `${name} is imported and is no dependency`),
  ]
}

export const deadExports = (sources: readonly Source[]): string[] => {
  const live = new Set<string>()
  for (const { taken } of eachImport(sources.filter((source) => !isTest(source)))) {
    const names = taken.names === '*' ? ['*'] : taken.names
    for (const name of names) live.add(`${taken.from} ${name}`)
  }
  return sources
    .filter((source) => !isFree(source) && !isEntry(source.path))
    .filter(({ path }) => !live.has(`${path} *`))
    .flatMap((source) => exportsOf(source).map((name) => `${source.path} ${name}`))
    .filter((place) => !live.has(place))
    .map((place) => `nothing imports ${place.replace(' ', ' > ')}`)
}
