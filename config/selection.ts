// Which checks a run includes: globs over ids of checks and requirements, and names of suites.
import { matchesGlob } from 'node:path'
import type { AnyCheck } from '../engine/check/declare.ts'
import { smokeId } from '../engine/run/smoke.ts'
import { judgedWith } from '../spec/requirements.ts'
import { withSetUp } from '../suites/set-up.ts'
import { didYouMean, UsageError } from './usage-error.ts'

export interface SelectionFlags {
  readonly only?: readonly string[] | undefined
  readonly skip?: readonly string[] | undefined
}

/** The part of its requirement's id before the first dot. */
export const suiteName = ({ requirement }: Pick<AnyCheck, 'requirement'>): string =>
  requirement.slice(0, requirement.indexOf('.'))

const namesOf = (check: AnyCheck) => [check.id, ...judgedWith(check.requirement), suiteName(check)]

export const matchesAny = (globs: readonly string[], ...names: readonly string[]): boolean =>
  globs.some((glob) => names.some((name) => matchesGlob(name, glob)))

/** `a,b` is two globs; a comma in braces is the glob's own. */
const globsIn = (given: readonly string[] | undefined): readonly string[] | undefined =>
  given?.flatMap((each) => each.split(/,(?![^{]*\})/)).filter((glob) => glob !== '')

/** The smoke call begins every run: it is not in the list, and may be selected alone. */
export const select = (all: readonly AnyCheck[], flags: SelectionFlags): readonly AnyCheck[] => {
  const [only, skip] = [globsIn(flags.only), globsIn(flags.skip)]
  const matches = (check: AnyCheck, globs: readonly string[]) =>
    matchesAny(globs, ...namesOf(check))
  const isUnused = (glob: string) => !all.some((check) => matches(check, [glob]))
  const isSmoke = (glob: string) => matchesGlob(smokeId, glob)
  const unused = only?.find((glob) => isUnused(glob) && !isSmoke(glob)) ?? skip?.find(isUnused)
  if (unused !== undefined) throw refusalOf(unused, all)
  const kept = all.filter((check) => skip === undefined || !matches(check, skip))
  if (only === undefined && kept.length > 0) return kept
  const chosen = kept.filter((check) => only !== undefined && matches(check, only))
  // A skipped check is not brought back as a set-up of another one.
  if (chosen.length > 0 || only?.some(isSmoke)) return withSetUp(kept, chosen)
  throw new UsageError('--only and --skip leave nothing to run')
}

/** The ids that the globs name, without checks that only set up others; undefined: all. */
export const selectedIds = (
  all: readonly AnyCheck[],
  flags: SelectionFlags,
): ReadonlySet<string> | undefined => {
  const only = globsIn(flags.only)
  const chosen = only && all.filter((each) => matchesAny(only, ...namesOf(each)))
  return chosen && new Set(chosen.map(({ id }) => id))
}

const refusalOf = (glob: string, all: readonly AnyCheck[]): UsageError => {
  if (matchesGlob(smokeId, glob)) {
    return new UsageError(`"${glob}" is the call that begins each run: it cannot be left out`)
  }
  const hint = didYouMean(glob, [smokeId, ...all.flatMap(namesOf)], 'petvet list prints all')
  return new UsageError(`"${glob}" matches no check, requirement or suite${hint}`)
}
