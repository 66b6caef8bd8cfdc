// The first headline of some mutants of all areas, as a text that a person can read. Which mutants
// these are is what the text has: `npm run net -- -u` writes what is found now.
import { readFileSync, writeFileSync } from 'node:fs'
import { mutants } from '../reference/mutants.ts'
import { conditionNames } from './kill-table.ts'
import type { NetResult } from './net-worker.ts'

const file = new URL('headlines.txt', import.meta.url)

/** By mutant: the fault, and the headline under each condition. */
const readHeadlines = (): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split(/\n\n(?=\S)/)
      .map((text) => [text.split(':', 1)[0] ?? '', text]),
  )

const printHeadlines = ({ id, headlines }: NetResult): string => {
  const fault = mutants.find((mutant) => mutant.id === id)?.fault
  const { full, oneKey } = conditionNames
  return [
    `${id}: ${fault}`,
    `  ${full}: ${headlines?.full}`,
    `  ${oneKey}: ${headlines?.oneKey}`,
  ].join('\n')
}

const listed = (results: readonly NetResult[], texts: ReadonlyMap<string, string>) =>
  results.filter(({ id, headlines }) => headlines && texts.has(id))

/** @returns what differs from the committed text, as it was and as it is */
export const compareHeadlines = (results: readonly NetResult[]): readonly string[] => {
  const texts = readHeadlines()
  const differences = listed(results, texts).flatMap((result) => {
    const [before, now] = [texts.get(result.id), printHeadlines(result)]
    return before === now ? [] : [`before: ${before}`, `now: ${now}`]
  })
  return differences.length === 0 ? [] : ['headlines that differ:', ...differences]
}

/** Writes the headlines of the mutants that the text has. */
export const writeHeadlines = (results: readonly NetResult[]): void => {
  const texts = new Map(readHeadlines())
  for (const result of listed(results, texts)) texts.set(result.id, printHeadlines(result))
  writeFileSync(file, `${[...texts.values()].join('\n\n')}\n`)
}
