// The requirements that a run names, by the headings of the interface; also of other versions.

import type { CheckResult, RequirementResult } from '../engine/run-file.ts'
import type { Requirement } from '../spec/requirement.ts'
import { requirement, requirementIds } from '../spec/requirements.ts'

/** A run of another version may name a requirement that this version does not have. */
export const requirementOf = ({
  id,
  level,
}: Pick<RequirementResult, 'id' | 'level'>): Requirement =>
  requirement(id) ?? { section: 'Other requirements', level, says: id }

export const requirementOfCheck = ({ requirement: id, level }: CheckResult): Requirement =>
  requirementOf({ id, level })

/** A name that no two checks of a report share. */
export const checkTitle = (result: CheckResult): string =>
  `${result.requirement} · ${requirementOfCheck(result).says} · ${result.id}`

/** Sections below another heading of the interface. */
const parentHeadings: Readonly<Record<string, string>> = {
  NewPet: 'Resources and their fields',
  Pet: 'Resources and their fields',
  Pets: 'Resources and their fields',
  PetStatus: 'Resources and their fields',
  Error: 'Resources and their fields',
  'Request limits by plan': 'Limits',
  'Rate limit headers': 'Limits',
  Rules: 'Limits',
  'Parameter bounds': 'Limits',
}

/** The interface has two lists of gaps: one of the resources, and one of the errors. */
const parentOf = (section: string, heading: string): string | undefined => {
  if (heading !== 'Gaps') return parentHeadings[heading]
  return /^Gaps, The (?:set of values|body shape)/.test(section)
    ? 'Errors'
    : 'Resources and their fields'
}

/** The heading of the interface, without the row, rule or part below it. */
const headingOf = ({ section }: Pick<Requirement, 'section'>): string => {
  const [whole = section] = section.split(', ')
  const heading = whole.replace(/ \d+$/, '')
  return parentOf(section, heading) ?? heading
}

/** Where the interface says it, heading first: `Limits, Rules, item 1`. */
export const placeOf = (requirement: Pick<Requirement, 'section'>): string => {
  const { section } = requirement
  const heading = headingOf(requirement)
  const place = section.replace(/(?<!,) (\d+)$/, ', item $1')
  return section.startsWith(heading) ? place : `${heading}, ${place}`
}

/** Where the heading does not say what a reader of outcomes has to know. */
const headingTitles: Readonly<Record<string, string>> = {
  'Project publishing': 'Project publishing (no API)',
}

const titleOf = (heading: string): string => headingTitles[heading] ?? heading

/** Checks by the heading of their requirement, in the order of the interface. */
export const checksByHeading = (checks: readonly CheckResult[]): Map<string, CheckResult[]> =>
  grouped(checks, ({ requirement: id, level }) => ({ id, level }))

/** Requirements by heading, in the order of the interface. */
export const byHeading = (requirements: readonly RequirementResult[]) =>
  grouped(requirements, (each) => each)

type Named = Pick<RequirementResult, 'id' | 'level'>

const grouped = <T>(all: readonly T[], named: (each: T) => Named): Map<string, T[]> => {
  const place = new Map(requirementIds.map((id, index) => [id, index]))
  const placeOf = (each: T) => place.get(named(each).id) ?? requirementIds.length
  const ordered = all.toSorted((a, b) => placeOf(a) - placeOf(b))
  return Map.groupBy(ordered, (each) => titleOf(headingOf(requirementOf(named(each)))))
}
