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

const resources = 'Resources and their fields'

/** The sections below another heading of the interface. */
const sectionsBelow: Readonly<Record<string, readonly string[]>> = {
  [resources]: ['NewPet', 'Pet', 'Pets', 'PetStatus', 'Error'],
  Limits: ['Request limits by plan', 'Rate limit headers', 'Rules', 'Parameter bounds'],
}

/** The interface has two lists of gaps: one of the resources, and one of the errors. */
const parentOf = (section: string, heading: string): string | undefined => {
  if (heading !== 'Gaps') {
    return Object.keys(sectionsBelow).find((parent) => sectionsBelow[parent]?.includes(heading))
  }
  return /^Gaps, The (?:set of values|body shape)/.test(section) ? 'Errors' : resources
}

/** The heading of the interface, without the row, rule or part below it. */
const headingOf = (section: string): string => {
  const [whole = section] = section.split(', ')
  const heading = whole.replace(/ \d+$/, '')
  return parentOf(section, heading) ?? heading
}

/** Where the interface says it, and the ruling on it: `Limits, Rules, item 1; ruling 17`. */
export const placeInInterface = ({
  section,
  ruling,
}: Pick<Requirement, 'section'> & { readonly ruling?: number | null }): string => {
  const heading = headingOf(section)
  const place = section.replace(/(?<!,) (\d+)$/, ', item $1')
  const whole = section.startsWith(heading) ? place : `${heading}, ${place}`
  return ruling == null ? whole : `${whole}; ruling ${ruling}`
}

/** By heading, in the order of the interface. */
export const byHeading = <T extends Named>(all: readonly T[]): Map<string, T[]> => {
  const place = new Map(requirementIds.map((id, index) => [id, index]))
  const placeIn = (each: T) => place.get(idOf(each)) ?? requirementIds.length
  const ordered = all.toSorted((a, b) => placeIn(a) - placeIn(b))
  return Map.groupBy(ordered, (each) => {
    const heading = headingOf(namedRequirement(each).section)
    // What a reader of outcomes has to know of it.
    return heading === 'Project publishing' ? `${heading} (no API)` : heading
  })
}
