// The kill table: which checks find each mutant. The net compares what is found now with what is
// committed, and the order of checks is made of it.

import { readFileSync, writeFileSync } from 'node:fs'
import { requirement } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'
import type { Condition } from './conditions.ts'

/** The checks that fail or warn at a mutant under each condition, in alphabetical order. */
export interface KillLine extends Readonly<Record<Condition, readonly string[]>> {
  readonly id: string
  readonly caughtBy: string
  /** Checks that sent what shows the fault with one Free key, in addition to those that fail. */
  readonly shownBy: readonly string[]
}

const file = new URL('kill-table.json', import.meta.url)

export const readKillTable = (): readonly KillLine[] => JSON.parse(readFileSync(file, 'utf8'))

/** One line per mutant, so that a diff shows which one it is about. */
export const writeKillTable = (lines: readonly KillLine[]): void =>
  writeFileSync(file, `[\n${lines.map((line) => JSON.stringify(line)).join(',\n')}\n]\n`)

/** How the conditions are called in what the net prints. */
export const conditionNames = { full: 'all keys and a clock', oneKey: 'one Free key' } as const

const conditionsOf = Object.keys(conditionNames) as Condition[]

const countFound = (lines: readonly KillLine[], condition: Condition): number =>
  lines.filter((line) => line[condition].length > 0).length

/** @returns one line per condition: how many mutants are found under it, now and before */
const printTotals = (lines: readonly KillLine[], stored: readonly KillLine[]) =>
  conditionsOf.map(
    (condition) =>
      `${countFound(lines, condition)} of ${lines.length} mutants found with ` +
      `${conditionNames[condition]} (${countFound(stored, condition)} before)`,
  )

/** @returns one line per check: at which mutants it is named in the first table alone */
const printDifferences = (
  title: string,
  these: readonly KillLine[],
  others: ReadonlyMap<string, KillLine>,
): readonly string[] => {
  const found = conditionsOf.flatMap((condition) =>
    these.flatMap((line) => {
      const other = others.get(line.id)
      return (other ? line[condition] : [])
        .filter((check) => !other?.[condition].includes(check))
        .map((check) => ({ check: `${check}, with ${conditionNames[condition]}`, id: line.id }))
    }),
  )
  const byCheck = [...Map.groupBy(found, ({ check }) => check)].map(
    ([check, own]) => `  ${check} (${own.length}): ${own.map(({ id }) => id).join(', ')}`,
  )
  return byCheck.length === 0 ? [] : [`${title}:`, ...byCheck.sort()]
}

/** What a comparison of the table with the committed one shows. */
export interface Comparison {
  /** What is printed in any case. */
  readonly report: readonly string[]
  /** Mutants that were found, and are found by nothing any more; a line each. */
  readonly lost: readonly string[]
}

/** @param stored the committed lines of the same mutants */
export const compareTables = (
  lines: readonly KillLine[],
  stored: readonly KillLine[],
): Comparison => {
  const now = new Map(lines.map((line) => [line.id, line]))
  const before = new Map(stored.map((line) => [line.id, line]))
  const lost = conditionsOf.flatMap((condition) =>
    stored
      .filter(({ id, [condition]: by }) => by.length > 0 && now.get(id)?.[condition].length === 0)
      .map(
        ({ id, [condition]: by }) =>
          `${id} is found by nothing any more with ${conditionNames[condition]}; before by ` +
          by.join(', '),
      ),
  )
  return {
    report: [
      ...printTotals(lines, stored),
      ...printDifferences('lost', stored, now),
      ...printDifferences('gained', lines, before),
    ],
    lost,
  }
}

/**
 * @returns the checks of a must or a should that find no mutant. One of the transport, which no run
 * in virtual time shows, is shown by `petvet mutants`.
 */
export const findIdleChecks = (lines: readonly KillLine[]): readonly string[] => {
  const isUnseen = ({ full, oneKey }: KillLine) => full.length + oneKey.length === 0
  const finders = new Set(
    lines.flatMap((line) => (isUnseen(line) ? [line.caughtBy] : [...line.full, ...line.oneKey])),
  )
  return catalogue
    .filter((check) => requirement(check.requirement).level !== 'open' && !finders.has(check.id))
    .map(({ id }) => id)
}
