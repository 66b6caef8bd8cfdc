// The control of a response that does not belong to its request: the same one asked alone.
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { Untested } from '../../engine/outcome.ts'
import { withKeyOf } from '../../engine/request.ts'
import type { Misfit } from './judge.ts'
import { invalid, misfitOf, type Specimen, unknown } from './specimens.ts'

/** Sends one request with nothing else in flight, on a new connection. */
const askedAlone = (context: Context, specimen: Specimen, like: Answered) => {
  const request = specimen.request(context)
  const keyed = request.authorization === 'valid' ? withKeyOf(request, like) : request
  return context.call({ ...keyed, fresh: true })
}

/** The same right after a refusal: what an accepted request leaves behind may be gone by then. */
const askedAfterRefusal = async (context: Context, specimen: Specimen, like: Answered) => {
  const refused = context.allow.includes('write') ? invalid : unknown
  await askedAlone(context, refused, like)
  return askedAlone(context, specimen, like)
}

/**
 * Judges a response that does not fit. What is answered so alone as well is a fault of that
 * request, which other checks find.
 * @param when what went before, or was in flight
 * @throws Violation where it is right alone; Untested (blocked) where it is not
 */
export const judgeMisfit = async (
  context: Context,
  specimen: Specimen,
  answer: Answered,
  misfit: Misfit,
  when: string,
  before: readonly Answered[] = [],
): Promise<never> => {
  let control = await askedAlone(context, specimen, answer)
  if (misfitOf(context, specimen, control)) {
    control = await askedAfterRefusal(context, specimen, answer)
  }
  if (misfitOf(context, specimen, control)) {
    const message = `${specimen.name} is not answered as it should be alone either`
    throw new Untested('blocked', message, [control])
  }
  const expected = `${misfit.expected} for ${specimen.name}, as alone`
  return violate(expected, `${misfit.actual}, ${when}`, control, ...before, answer)
}
