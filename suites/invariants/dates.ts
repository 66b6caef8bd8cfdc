// The Date of the responses: it advances as the time does, or it measures nothing.
import type { Trace } from '../../engine/check.ts'
import { invariant, optionalInvariant } from '../../engine/check.ts'
import type { Answered } from '../../engine/exchange.ts'
import { header } from '../../engine/exchange.ts'
import { violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { writesDate } from '../../engine/quota/date-watch.ts'
import { fromMs, toMs } from '../../engine/quota/key-minute.ts'
import { givenDateMs } from '../../engine/quota/rate-headers.ts'

const told = new WeakMap<Trace, boolean>()

/** Whether the Dates of a run can be taken for the time at the target. */
export const datesTell = (trace: Trace): boolean => {
  const known = told.get(trace) ?? !trace.exchanges.some(({ dateIsWrong }) => dateIsWrong)
  told.set(trace, known)
  return known
}

/** A Date may be kept for some seconds, and a clock be set a little. */
const graceMs = 10_000
/** A test clock that counts whole seconds may lose one with each move. */
const moveGraceMs = 2_000
/** A clock that is set, or a machine that is halted here, explains fewer. */
const minBreaks = 3

interface Break {
  readonly from: Answered
  readonly to: Answered
}

/** Each is a Date that is off by the one before it at which the two clocks agreed. */
const breaksIn = (dated: readonly Answered[]): readonly Break[] => {
  let [from] = dated
  let moves = 0
  let movedMs = from?.movedMs ?? 0
  return dated.flatMap((to): Break[] => {
    if (!from) return []
    if (to.movedMs !== movedMs) moves += 1
    movedMs = to.movedMs
    const advancedMs = (givenDateMs(to) ?? 0) - (givenDateMs(from) ?? 0)
    const room = graceMs + moves * moveGraceMs
    const least = fromMs(to) - toMs(from) - room
    const most = toMs(to) - fromMs(from) + room
    if (advancedMs >= least && advancedMs <= most) return []
    const found = { from, to }
    from = to
    moves = 0
    return [found]
  })
}

interface Dates {
  readonly breaks: readonly Break[]
  readonly firstMs: number
}

const known = new WeakMap<Trace, Dates>()

const datesIn = (trace: Trace): Dates => {
  const dates = known.get(trace) ?? readDates(trace)
  known.set(trace, dates)
  return dates
}

const readDates = ({ exchanges }: Trace): Dates => {
  const dated = exchanges.filter(writesDate).toSorted((a, b) => toMs(a) - toMs(b))
  return { breaks: breaksIn(dated), firstMs: Math.min(...dated.map(fromMs)) }
}

const expectAdvance = (exchange: Answered, trace: Trace): void => {
  const { breaks, firstMs } = datesIn(trace)
  const own = breaks.find(({ to }) => to === exchange)
  if (own) {
    const evidence = [own.from, own.to]
    const passedMs = toMs(own.to) - toMs(own.from)
    const actual = `it went from ${header(own.from, 'date')} to ${header(own.to, 'date')}`
    if (breaks.length < minBreaks) {
      const message = `${actual} in ${Math.round(passedMs / 1000)} s: a clock may have been set`
      throw new Suspicion(message, evidence)
    }
    violate(`a Date that advances by ${Math.round(passedMs / 1000)} s`, actual, ...evidence)
  }
  if (toMs(exchange) - firstMs > graceMs) return
  throw new Untested('ambiguous', 'too little time passed to see Date advance', [exchange])
}

export const dates = [
  optionalInvariant(
    'the target sends no Date',
    invariant('date-advances', 'headers.date', writesDate, expectAdvance),
  ),
]
