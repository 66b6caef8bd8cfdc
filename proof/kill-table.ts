// The kill table: which checks find each mutant. The net compares what is found now with what is
// committed, and the order of checks is made of it.

import { readFileSync, writeFileSync } from 'node:fs'
import { statusDue } from '../model/status.ts'
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

/**
 * @param stored the committed lines of the same mutants
 * @returns what is printed in any case, and the mutants that nothing finds any more; a line each
 */
export const compareTables = (lines: readonly KillLine[], stored: readonly KillLine[]) => {
  const before = new Map(stored.map((line) => [line.id, line]))
  const report: string[] = []
  const lost: string[] = []
  for (const condition of Object.keys(conditionNames) as Condition[]) {
    const name = conditionNames[condition]
    const countIn = (all: readonly KillLine[]) =>
      all.filter(({ [condition]: by }) => by.length > 0).length
    const found = `${countIn(lines)} of ${lines.length} mutants found`
    report.push(`${found} with ${name} (${countIn(stored)} before)`)
    for (const { id, [condition]: now } of lines) {
      const old = before.get(id)?.[condition]
      if (old === undefined) continue
      const gone = old.filter((check) => !now.includes(check)).map((check) => `-${check}`)
      const more = now.filter((check) => !old.includes(check)).map((check) => `+${check}`)
      if (gone.length + more.length > 0) report.push(`  ${id}: ${[...gone, ...more].join(' ')}`)
      if (old.length === 0 || now.length > 0) continue
      lost.push(`${id} is found by nothing any more with ${name}; before by ${old.join(', ')}`)
    }
  }
  return { report, lost }
}

const levels = new Map(catalogue.map(({ id, requirement: of }) => [id, requirement(of).level]))

/** Those whose findings have the level of the requirement that follows from each request. */
const ofAnyLevel = new Set(
  catalogue
    .filter((check) => check.kind === 'check' && !check.values && !check.judgesItself)
    .map(({ id }) => id)
    .concat(statusDue.id),
)

const mustsIn = ({ full, oneKey }: KillLine): readonly string[] =>
  [...new Set([...full, ...oneKey])].filter(
    (id) => levels.get(id) === 'must' && !ofAnyLevel.has(id),
  )

/**
 * A mutant of a should is a legal server but for that.
 * @param stored the committed lines: some mutants of a should violate a must, too
 * @returns the mutants of which only shoulds were violated before, with each must that fails now
 */
export const findAlarms = (lines: readonly KillLine[], stored: ReadonlyMap<string, KillLine>) =>
  lines.flatMap((line) => {
    const before = stored.get(line.id)
    const isShould = before && levels.get(line.caughtBy) === 'should'
    const musts = isShould && mustsIn(before).length === 0 ? mustsIn(line) : []
    return musts.map((id) => `mutant ${line.id} violates a should alone, and fails ${id}`)
  })

/**
 * @returns the checks of a must or a should that find no mutant. One of the transport, which no run
 * in virtual time shows, is shown by `petvet mutants`.
 */
export const findIdleChecks = (lines: readonly KillLine[]): readonly string[] => {
  const isUnseen = ({ full, oneKey }: KillLine) => full.length + oneKey.length === 0
  const finders = new Set(
    lines.flatMap((line) => (isUnseen(line) ? [line.caughtBy] : [...line.full, ...line.oneKey])),
  )
  return catalogue.map(({ id }) => id).filter((id) => levels.get(id) !== 'open' && !finders.has(id))
}
