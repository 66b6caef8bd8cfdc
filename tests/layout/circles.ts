// No circles: of two files, one is the ground that the other stands on. Types count as well, for a
// reader has to follow them.
import { importsOf, isFree, type Source } from './sources.ts'

/** Takes away what imports nothing that is left, until nothing goes: the rest leads to a circle. */
export const circles = (sources: readonly Source[]): string[] => {
  const left = new Map(
    sources
      .filter((source) => !isFree(source))
      .map((source) => [
        source.path,
        new Set(
          importsOf(source)
            .filter(({ ours }) => ours)
            .map(({ from }) => from),
        ),
      ]),
  )
  for (let gone = -1; gone !== 0; ) {
    const ends = [...left].filter(([, from]) => ![...from].some((path) => left.has(path)))
    for (const [path] of ends) left.delete(path)
    gone = ends.length
  }
  return [...left.keys()].map((path) => `${path} imports, by way of others, itself or a circle`)
}

/** The folders next to each other in which two files lie: those below the last one in common. */
const siblings = (path: string, other: string): readonly [string, string] | undefined => {
  const [own, others] = [path.split('/').slice(0, -1), other.split('/').slice(0, -1)]
  const at = own.findIndex((part, place) => part !== others[place])
  // One folder inside the other: a door may take what lies behind it.
  if (at === -1 || at >= others.length) return undefined
  return [own.slice(0, at + 1).join('/'), others.slice(0, at + 1).join('/')]
}

/** The same for folders next to each other. */
export const folderCircles = (sources: readonly Source[]): string[] => {
  const left = new Map<string, Set<string>>()
  for (const source of sources.filter((each) => !isFree(each))) {
    for (const { ours, from } of importsOf(source)) {
      const [folder, other] = (ours && siblings(source.path, from)) || []
      if (folder === undefined || other === undefined) continue
      left.set(folder, (left.get(folder) ?? new Set()).add(other))
    }
  }
  for (let gone = -1; gone !== 0; ) {
    const ends = [...left].filter(([, from]) => ![...from].some((folder) => left.has(folder)))
    for (const [folder] of ends) left.delete(folder)
    gone = ends.length
  }
  return [...left.keys()].map((folder) => `${folder} and a folder next to it import each other`)
}
