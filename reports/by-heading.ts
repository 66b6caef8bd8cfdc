// The requirements that a run names, by the headings of the interface; also of other versions.

import type { CheckResult, RequirementResult } from '../engine/check/run-file.ts'
import type { Requirement } from '../spec/requirements/requirement.ts'
import { requirement, requirementIds } from '../spec/requirements.ts'

/** A requirement with its outcome, or a result that names one. */
type Named = Pick<RequirementResult, 'id' | 'level'> | Pick<CheckResult, 'requirement' | 'level'>

const idOf = (named: Named) => ('requirement' in named ? named.requirement : named.id)

/** A run of another version may name a requirement that this version does not have. */
export const namedRequirement = (named: Named): Requirement => {
  const id = idOf(named)
  return requirement(id) ?? { section: 'Other requirements', level: named.level, says: id }
}

/** Where the interface says it, and the ruling on it: `Limits, Rules, item 1; ruling 17`. */
export const placeInInterface = ({
  section,
  ruling,
}: Pick<Requirement, 'section'> & { readonly ruling?: number | null }): string => {
  const place = section.replace(/(?<!,) (\d+)$/, ', item $1')
  return ruling == null ? place : `${place}; ruling ${ruling}`
}

/** By heading, in the order of the interface. */
export const byHeading = <T extends Named>(all: readonly T[]): Map<string, T[]> => {
  const place = new Map(requirementIds.map((id, index) => [id, index]))
  const placeIn = (each: T) => place.get(idOf(each)) ?? requirementIds.length
  const ordered = all.toSorted((a, b) => placeIn(a) - placeIn(b))
  return Map.groupBy(ordered, (each) => {
    // Without the row, rule or part below it.
    const heading = namedRequirement(each).section.replace(/,.*| \d+$/, '')
    // What a reader of outcomes has to know of it.
    return heading === 'Project publishing' ? `${heading} (no API)` : heading
  })
}
