// No import cycles between files, nor between folders, parents and children included. Types count
// as well, because a reader has to follow them.
import { importsOf, isFree, type Source } from './sources.ts'

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Removes files that import none of the remaining ones, until none is left to remove.
 * @returns the remaining files: each leads to a cycle
 */
const leadingToCircles = (imports: Graph): string[] => {
  const left = new Map(imports)
  for (let gone = -1; gone !== 0; ) {
    const ends = [...left].filter(([, from]) => ![...from].some((name) => left.has(name)))
    for (const [name] of ends) left.delete(name)
    gone = ends.length
  }
  return [...left.keys()]
}

/** @param edgeOf the edge for a file and one that it imports; undefined: it does not count */
const graphOf = (
  sources: readonly Source[],
  edgeOf: (path: string, from: string) => readonly [string, string] | undefined,
): Graph => {
  const edges = sources
    .filter((source) => !isFree(source))
    .flatMap((source) => importsOf(source).map((taken) => ({ path: source.path, taken })))
    .flatMap(({ path, taken }) => {
      const edge = taken.ours ? edgeOf(path, taken.from) : undefined
      return edge ? [edge] : []
    })
  const byName = Map.groupBy(edges, ([name]) => name)
  return new Map([...byName].map(([name, own]) => [name, new Set(own.map(([, from]) => from))]))
}

export const circles = (sources: readonly Source[]): string[] =>
  leadingToCircles(graphOf(sources, (path, from) => [path, from])).map(
    (path) => `${path} imports, by way of others, itself or a circle`,
  )

/** Where a file may open onto a folder next to it, whose files import others next to that file. */
const doorsAbove = ['cli', 'load', 'reference', 'reports']

/**
 * What two files lie in, seen from the last folder that they have in common: a folder in it, or the
 * folder itself, without those in it. undefined: both lie in it itself, or in one folder of it.
 */
const partsOfCommon = (path: string, other: string): readonly [string, string] | undefined => {
  const [own, others] = [path.split('/').slice(0, -1), other.split('/').slice(0, -1)]
  const at = own.findIndex((part, place) => part !== others[place])
  const depth = at === -1 ? own.length : at
  const isNested = depth === own.length || depth === others.length
  if (isNested && (own.length === others.length || doorsAbove.includes(own[0] ?? '')))
    return undefined
  const partOf = (parts: readonly string[]): string =>
    [...parts.slice(0, depth), parts[depth] ?? '.'].join('/')
  return [partOf(own), partOf(others)]
}

/** The same for folders: those next to each other, and a folder and those in it. */
export const folderCircles = (sources: readonly Source[]): string[] =>
  leadingToCircles(graphOf(sources, partsOfCommon)).map(
    (folder) => `${folder} and a folder next to it, or in it, import each other`,
  )
