// No import cycles between files or sibling folders. Types count as well, because a
// reader has to follow them.
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

/** The folders next to each other in which two files lie: those below the last one in common. */
const siblings = (path: string, other: string): readonly [string, string] | undefined => {
  const [own, others] = [path.split('/').slice(0, -1), other.split('/').slice(0, -1)]
  const at = own.findIndex((part, place) => part !== others[place])
  // One folder inside the other: a door may take what lies behind it.
  if (at === -1 || at >= others.length) return undefined
  return [own.slice(0, at + 1).join('/'), others.slice(0, at + 1).join('/')]
}

/** The same for folders next to each other. */
export const folderCircles = (sources: readonly Source[]): string[] =>
  leadingToCircles(graphOf(sources, siblings)).map(
    (folder) => `${folder} and a folder next to it import each other`,
  )
