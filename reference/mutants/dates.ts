// Faults in the Date of the responses: it stands still, runs wild, or by another clock.
import type { Variant } from '../compose.ts'
import type { LegalVariant, Mutant } from '../mutant.ts'

/** Writes another time into every Date, and into nothing else. */
export const dated = (make: () => (nowMs: number) => number): Variant => ({
  handle: (honest, { clock, httpDate }) => {
    const written = make()
    return async (request) => {
      const response = await honest(request)
      const { Date: _date, ...headers } = response.headers
      return { ...response, headers: { ...headers, Date: httpDate(written(clock.now())) } }
    }
  },
})

const hourMs = 3_600_000

const onceMade = () => {
  let first: number | undefined
  return (nowMs: number) => {
    first ??= nowMs
    return first
  }
}

const doubled = () => {
  let first: number | undefined
  return (nowMs: number) => {
    first ??= nowMs
    return nowMs + (nowMs - first)
  }
}

const byTurns = () => {
  const hours = [0, 5, -3, 1, -7]
  let responses = 0
  return (nowMs: number) => nowMs + (hours[responses++ % hours.length] ?? 0) * hourMs
}

/** The clock of the machine, whatever the test clock says. */
const ofMachine = () => () => Date.now()

const faults = [
  [
    'date-stands-still',
    'The text of Date is made once, when the first response is written.',
    dated(onceMade),
  ],
  ['date-twice-as-fast', 'What passed since the start is added to Date twice.', dated(doubled)],
  [
    'date-runs-wild',
    'Each worker writes Date by the time zone that its machine happens to have.',
    dated(byTurns),
  ],
  [
    'date-of-another-clock',
    'The proxy in front writes Date, and the test clock does not reach it.',
    dated(ofMachine),
  ],
] as const

export const dateMutants: readonly Mutant[] = faults.map(([id, fault, variant]) => ({
  ...{ id, fault, ...variant },
  breaks: 'headers.date',
  caughtBy: 'date-advances',
}))

/** The same servers: nothing but the should may be said of them. */
export const wrongDateVariants: readonly LegalVariant[] = faults.map(([id, fault, variant]) => ({
  ...{ id: `${id}-alone`, does: fault, ...variant },
  warns: ['date-advances'],
}))
