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
