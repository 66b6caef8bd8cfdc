// A sentence of the interface, as explanations show it.
import { type RequirementId, requirement } from '../../spec/requirements.ts'
import type { ExplainedSentence } from './explained.ts'

export const explainSentence = (id: RequirementId): ExplainedSentence => {
  const { section, level, says, untestable, planned } = requirement(id)
  return { id, section, level, says, unasked: untestable ?? planned ?? null }
}
