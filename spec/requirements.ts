// Every requirement of the interface. Its level is decided here and nowhere else.

import { publishing } from './requirements/publishing.ts'
import { limits } from './requirements/rate-limits.ts'
import type { Requirement } from './requirements/requirement.ts'
import { endpoints, resources } from './requirements/resources.ts'
import { authentication, service } from './requirements/service.ts'

const requirements = {
  ...service,
  ...resources,
  ...endpoints,
  ...authentication,
  ...limits,
  ...publishing,
}

type All = typeof requirements

/** The name of a requirement; a misspelled one does not compile. */
export type RequirementId = keyof All

/** The requirements the document leaves open: they can be observed, and never violated. */
export type OpenRequirementId = {
  [Id in RequirementId]: All[Id]['level'] extends 'open' ? Id : never
}[RequirementId]

/** The binding requirements: a check of one can fail (must) or warn (should). */
export type BindingRequirementId = Exclude<RequirementId, OpenRequirementId>

export const requirement = (id: RequirementId): Requirement => requirements[id]

export const requirementIds = Object.keys(requirements) as RequirementId[]

/** What the checks of a requirement judge: it, and those that it covers. */
export const judgedWith = (id: RequirementId): readonly RequirementId[] => [
  id,
  ...requirementIds.filter((other) => requirement(other).coveredBy === id),
]
