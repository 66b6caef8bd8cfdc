// The fault dictionary: which checks fail at each mutant, and what they observe there. It is read
// from the kill table, which `proof/` makes.
import { readFileSync } from 'node:fs'
import type { CheckResult } from '../engine/check/run-file.ts'
import type { RequirementId } from '../spec/requirements.ts'
import { printFeature, readFeatures } from './features.ts'

/** What a failed check observes at a mutant: the texts of its features, in alphabetical order. */
export type Features = readonly string[]

/** What a run under one condition finds at one mutant: each check that fails, with its features. */
type Signature = ReadonlyMap<string, Features>

/** In which share of the responses that it judged a check saw the fault. */
export type Shares = Readonly<Record<string, number>>

export interface Entry {
  /** The mutants with these signatures: more than one where no check separates them. */
  readonly mutants: readonly string[]
  /** The fault of each mutant, in the words of an implementer. */
  readonly faults: readonly string[]
  /** The check that is there to find the first mutant. */
  readonly caughtBy: string
  /** With keys of all plans and a test clock; and with one Free key and without a clock. */
  readonly full: Signature
  readonly plain: Signature
  readonly shares: Shares
}

export type Dictionary = readonly Entry[]

/** A signature as it is stored: the features of each check. */
export type SignatureText = Readonly<Record<string, Features>>

/** What is stored of a mutant in the kill table; of other subjects it has no signatures. */
export interface MutantLine {
  readonly id: string
  readonly kind: 'mutant'
  readonly says: string
  readonly caughtBy: string
  readonly requirement: RequirementId
  readonly full: SignatureText
  readonly plain: SignatureText
  /** Of the checks in `full` that judge many responses. */
  readonly shares?: Shares
}

export const printFeatures = (result: CheckResult): Features =>
  [...new Set(readFeatures(result).map(printFeature))].sort()

/** What a walk meets of a fault depends on the seed. */
export const isDrawn = (id: string): boolean => id.startsWith('walk-')

/** So few responses say nothing about a share. */
const minJudged = 20

/** How many responses show a failure, of how many; undefined if few were judged, or by chance. */
export const shareOf = ({ id, findings = [] }: CheckResult) => {
  if (isDrawn(id)) return undefined
  const judged = Math.max(0, ...findings.map((each) => each.judged))
  const times = findings.reduce((sum, each) => sum + each.times, 0)
  return judged < minJudged ? undefined : { times, judged }
}

/** @returns the entries of the mutants in the kill table, one for all that no check separates */
const dictionaryFrom = (lines: readonly (MutantLine | object)[]): Dictionary => {
  const found = lines
    .filter((line) => 'full' in line)
    .filter(({ full, plain }) => Object.keys({ ...full, ...plain }).length > 0)
  const alike = Map.groupBy(found, ({ full, plain }) => JSON.stringify([full, plain]))
  return [...alike.values()].flatMap((all) =>
    all.slice(0, 1).map(({ caughtBy, full, plain, shares = {} }) => ({
      mutants: all.map(({ id }) => id),
      faults: all.map(({ says }) => says),
      caughtBy,
      full: new Map(Object.entries(full)),
      plain: new Map(Object.entries(plain)),
      shares,
    })),
  )
}

let known: Dictionary | undefined

/** The dictionary that is shipped, read when it is needed for the first time. */
export const dictionary = (): Dictionary => {
  known ??= dictionaryFrom(
    JSON.parse(readFileSync(new URL('kill-table.json', import.meta.url), 'utf8')),
  )
  return known
}
