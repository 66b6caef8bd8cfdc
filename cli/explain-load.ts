// What `petvet explain` says of a verdict of a load.
import { scenarios } from '../load/scenarios.ts'
import { requirement } from '../spec/requirements.ts'

/** Undefined where it is no verdict of a load. */
export const explainLoad = (id: string): string[] | undefined => {
  const found = scenarios.find(({ verdicts }) => verdicts.some((verdict) => verdict.id === id))
  const verdict = found?.verdicts.find((each) => each.id === id)
  if (!found || !verdict) return undefined
  const { section, level, says } = requirement(verdict.requirement)
  return [
    `${id}, a verdict of the load scenario ${found.id}:`,
    verdict.requirement,
    `  ${says}`,
    `  Section  ${section}`,
    `  Level    ${level}`,
    `${found.id}`,
    `  ${found.says}`,
    `  Needs    ${found.needs.allow.join(', ') || 'no permission'}`,
    `  Run it   petvet load --scenario ${found.id}`,
  ]
}
