// The variant of the demonstration that an id names.

import { didYouMean } from '../../cli/nearest.ts'
import { UsageError } from '../../cli/usage-error.ts'
import type { PublishingVariant } from '../demo/variant.ts'
import { domainFaults } from '../faults/faults.ts'
import { domainLegal, domainUnsure } from '../faults/legal.ts'

/** @throws UsageError with the id that may have been meant */
export const domainVariant = (id: string): PublishingVariant => {
  const all = [...domainFaults, ...domainLegal, ...domainUnsure]
  const found = all.find((each) => each.id === id)
  if (found) return found
  const ids = all.map((each) => each.id)
  throw new UsageError(`"${id}" is no mutant of domains${didYouMean(id, ids)}`)
}
