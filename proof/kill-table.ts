// The kill table: which checks find each mutant. The net compares what is found now with what is
// committed, and the order of checks is made of it.

import { readFileSync, writeFileSync } from 'node:fs'
import { type AnyCheck, type SendingCheck, sendsRequests } from '../engine/check/declare.ts'
import type { Sent } from '../engine/run/run-options.ts'
import { smokeId } from '../engine/run/smoke.ts'
import { controlId } from '../history/exchange.ts'
import { statusDue } from '../model/status.ts'
import { plans } from '../spec/plans.ts'
import { requirement } from '../spec/requirements.ts'
import { manyPets } from '../suites/get/list.ts'
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
 * @returns what is printed in any case, and the mutants that are lost; a line each
 */
export const compareTables = (lines: readonly KillLine[], stored: readonly KillLine[]) => {
  const before = new Map(stored.map((line) => [line.id, line]))
  const report: string[] = []
  const lost: string[] = []
  for (const condition of Object.keys(conditionNames) as Condition[]) {
    const countIn = (all: readonly KillLine[]) =>
      all.filter(({ [condition]: by }) => by.length > 0).length
    const found = `${countIn(lines)} of ${lines.length} mutants found`
    report.push(`${found} with ${conditionNames[condition]} (${countIn(stored)} before)`)
    for (const line of lines) {
      const { id, [condition]: now } = line
      const old = before.get(id)
      if (old === undefined) continue
      const gone = old[condition].filter((check) => !now.includes(check)).map((each) => `-${each}`)
      const more = now.filter((check) => !old[condition].includes(check)).map((each) => `+${each}`)
      if (gone.length + more.length > 0) report.push(`  ${id}: ${[...gone, ...more].join(' ')}`)
      const isLost = now.length === 0 && old[condition].length > 0
      const how = `with ${conditionNames[condition]}; before by ${old[condition].join(', ')}`
      if (isLost) lost.push(`${id} is found by nothing any more ${how}`)
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

/** @returns the checks of a must or a should that find no mutant */
export const findIdleChecks = (lines: readonly KillLine[]): readonly string[] => {
  const finders = new Set(lines.flatMap(({ full, oneKey }) => [...full, ...oneKey]))
  return catalogue.map(({ id }) => id).filter((id) => levels.get(id) !== 'open' && !finders.has(id))
}

/** Of the minute, without the smoke call, the controls and the probe of categories. */
const maxCalls = plans.free.perMinute - 4

/** Its place is by what it finds. */
const mayLead = ({ needs: { stage } }: SendingCheck): boolean =>
  ['refusals', 'creations', 'reads', 'hazards'].includes(stage)

/** What needs no key is sent before all others. */
const isFree = ({ needs }: SendingCheck) => needs.stage === 'unauthenticated'

/**
 * Lists need the pets of creations; what judges the requests of others comes after both, then a
 * program, which may take many requests to shrink what it finds, and what needs all pets there are.
 */
const placeOf = (check: SendingCheck): number => {
  const { stage, pets = 0 } = check.needs
  if (stage === 'hazards') return 6
  if (pets >= manyPets) return 5
  if (check.sentBy !== undefined) return 3
  if (check.kind === 'check' && check.values === undefined) return 4
  if (stage === 'reads') return 2
  return stage === 'creations' ? 0 : 1
}

/** What a further check adds that finds a fault too: unknown ones are like it, and not the same. */
const shareOfFurther = 0.25

/**
 * What finds a mutant under one Free key besides the check that was made for it: an order by these
 * serves faults for which no check was made.
 */
export const findersOf = ({ caughtBy, oneKey, shownBy }: KillLine): ReadonlySet<string> =>
  new Set([...oneKey, ...shownBy].filter((id) => id !== caughtBy))

/**
 * The order of checks where a run ends with its first minute: greedily by the kill table, each time
 * what finds the most per request with a key; what earlier checks find counts for less each time.
 * @param finders of each known fault, the checks that find it
 * @param sent how many requests with a key each check sends
 * @param most how many requests the minute has for them
 * @returns the ids of the checks that come first
 */
export const makeOrder = (
  checks: readonly AnyCheck[],
  finders: readonly ReadonlySet<string>[],
  sent: ReadonlyMap<string, Sent>,
  most = maxCalls,
): readonly string[] => {
  const sending = checks.filter(sendsRequests)
  const callsOf = ({ id }: SendingCheck): number => sent.get(id)?.keyed ?? 0
  const candidates = new Set(sending.filter((each) => mayLead(each) && callsOf(each) > 0))
  const first = new Set([smokeId, controlId, ...sending.filter(isFree).map(({ id }) => id)])
  const left = finders
    .filter((each) => each.isDisjointFrom(first))
    .map((each) => ({ finders: each, worth: 1 }))
  const picked: SendingCheck[] = []
  for (let calls = 0; ; ) {
    const foundBy = ({ id }: SendingCheck) => left.filter((each) => each.finders.has(id))
    const worthOf = (check: SendingCheck): number =>
      foundBy(check).reduce((sum, { worth }) => sum + worth, 0) / callsOf(check)
    const [best] = [...candidates]
      .filter((each) => calls + callsOf(each) <= most)
      .sort((a, b) => worthOf(b) - worthOf(a))
    if (best === undefined || worthOf(best) === 0) break
    calls += callsOf(best)
    candidates.delete(best)
    picked.push(best)
    for (const each of foundBy(best)) each.worth *= shareOfFurther
  }
  // In the order of the catalogue, as their requests were counted in it.
  const place = (check: SendingCheck): number => sending.indexOf(check)
  return picked.sort((a, b) => placeOf(a) - placeOf(b) || place(a) - place(b)).map(({ id }) => id)
}
