// Leave-one-out recall: which mutants are still found without the checks that were written for
// them. It predicts how many faults are found that nobody thought of; no run is needed for it.
import { isDrawn } from '../causes/dictionary.ts'
import type { AnyCheck } from '../engine/check/declare.ts'
import { catalogue } from '../suites/index.ts'
import { isServerMutant, type KillLine, type ServerMutantLine } from './kill-table.ts'

const checkKinds = ['walk', 'property', 'invariant', 'targeted'] as const

/** A check that repeats an invariant would raise the recall as well: hence who still finds it. */
type CheckKind = (typeof checkKinds)[number]

const byId = new Map<string, AnyCheck>(catalogue.map((check) => [check.id, check]))

const kindOf = (id: string): CheckKind => {
  if (isDrawn(id)) return 'walk'
  const check = byId.get(id)
  if (check?.kind === 'invariant') return 'invariant'
  return check && 'runs' in check.needs ? 'property' : 'targeted'
}

const areaOf = ({ requirement }: ServerMutantLine): string => requirement.split('.', 1)[0] ?? ''

/** A mutant, and the kinds of the checks that still find it; none: it is missed. */
interface Left {
  readonly line: ServerMutantLine
  readonly by: ReadonlySet<CheckKind>
}

/** @param isOwn whether a check was written for a mutant, or for one of its family */
const leaveOut = (
  lines: readonly ServerMutantLine[],
  isOwn: (check: string, line: ServerMutantLine) => boolean,
): readonly Left[] =>
  lines.map((line) => {
    const others = Object.keys(line.full).filter((check) => !isOwn(check, line))
    return { line, by: new Set(others.map(kindOf)) }
  })

interface Counted {
  readonly found: number
  readonly of: number
  readonly missed: readonly string[]
}

/** The share that is still found, overall and by area, and which are not. */
interface Recall extends Counted {
  readonly title: string
  readonly areas: ReadonlyMap<string, Counted>
  /** How many are found by checks of each kind, and how many by those of that kind alone. */
  readonly kinds: ReadonlyMap<CheckKind, { readonly found: number; readonly alone: number }>
}

const countOf = (all: readonly Left[]): Counted => {
  const missed = all.filter(({ by }) => by.size === 0).map(({ line }) => line.id)
  return { found: all.length - missed.length, of: all.length, missed }
}

const recallOf = (title: string, all: readonly Left[]): Recall => ({
  title,
  ...countOf(all),
  areas: new Map(
    [...Map.groupBy(all, ({ line }) => areaOf(line))].map(([area, own]) => [area, countOf(own)]),
  ),
  kinds: new Map(
    checkKinds.map((kind) => {
      const own = all.filter(({ by }) => by.has(kind))
      return [kind, { found: own.length, alone: own.filter(({ by }) => by.size === 1).length }]
    }),
  ),
})

/** The mutants that show at all when a run has keys of all plans and a test clock. */
const shown = (lines: readonly KillLine[]): readonly ServerMutantLine[] =>
  lines.filter(isServerMutant).filter(({ full }) => Object.keys(full).length > 0)

/**
 * Each mutant without the check that it was made for; and without all checks that were made for
 * mutants of the same requirement.
 */
export const computeRecalls = (
  lines: readonly KillLine[],
): readonly [own: Recall, family: Recall] => {
  const mutants = shown(lines)
  const families = Map.groupBy(mutants, ({ requirement }) => requirement)
  const isOfFamily = (check: string, { requirement }: ServerMutantLine): boolean =>
    families.get(requirement)?.some(({ caughtBy }) => caughtBy === check) ?? false
  return [
    recallOf(
      'leave-one-out',
      leaveOut(mutants, (check, { caughtBy }) => check === caughtBy),
    ),
    recallOf('family left out', leaveOut(mutants, isOfFamily)),
  ]
}

const shareOf = ({ found, of }: Counted): string =>
  `${found} of ${of} = ${((100 * found) / of).toFixed(1)} %`

export const recallText = (recall: Recall): string =>
  [
    `${recall.title}: ${shareOf(recall)}`,
    '  found by checks of each kind (by these alone): ' +
      [...recall.kinds].map(([kind, { found, alone }]) => `${kind} ${found} (${alone})`).join(', '),
    ...[...recall.areas].map(
      ([area, counted]) => `  ${area}: ${shareOf(counted)}; missed: ${counted.missed.join(', ')}`,
    ),
  ].join('\n')
