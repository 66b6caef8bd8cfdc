// The variant of the demonstration that an id names.
import { domainFaults } from '../../reference/publishing/faults.ts'
import { domainLegal, domainUnsure } from '../../reference/publishing/legal.ts'
import type { PublishingVariant } from '../../reference/publishing/variant.ts'
import { didYouMean } from '../nearest.ts'
import { UsageError } from '../usage-error.ts'

/** @throws UsageError with the id that may have been meant */
export const domainVariant = (id: string): PublishingVariant => {
  const all = [...domainFaults, ...domainLegal, ...domainUnsure]
  const found = all.find((each) => each.id === id)
  if (found) return found
  const ids = all.map((each) => each.id)
  throw new UsageError(`"${id}" is no mutant of domains${didYouMean(id, ids)}`)
}
