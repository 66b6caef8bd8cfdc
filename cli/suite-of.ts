// The name of the suite that a question belongs to.
import type { Question } from '../engine/check.ts'

/** What stands before the first dot of its sentence's id. */
export const suiteOf = ({ requirement }: Question): string =>
  requirement.slice(0, requirement.indexOf('.'))
