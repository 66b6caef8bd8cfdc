// Statuses that are legal, as ranges, and how they are printed.

/** From one to another, both included. */
export type Statuses = readonly (readonly [from: number, to: number])[]

/** The statuses that a request must get; and what is said of them, to follow their words. */
export interface Demanded {
  readonly statuses: Statuses
  readonly why?: string
}

export const exactly = (...legal: readonly number[]) => ({
  statuses: legal.map((status) => [status, status] as const),
})

export const any4xx = [400, 499] as const
export const upTo499 = [0, 499] as const
export const no2xx: Statuses = [
  [0, 199],
  [300, 599],
]

const forms: ReadonlyMap<string, string> = new Map(
  (
    [
      ['a 4xx response', [any4xx]],
      ['a 4xx response or a list', [any4xx, [200, 200]]],
      ['a 4xx response or 501', [any4xx, [501, 501]]],
      ['a refusal', [[300, 599]]],
      ['no 5xx response', [upTo499]],
      ['no 5xx response but 501', [upTo499, [501, 501]]],
      ['no 2xx response', no2xx],
      ['any response', [[0, 599]]],
    ] as const
  ).map(([words, statuses]) => [JSON.stringify(statuses), words]),
)

/** Those that are legal one by one; none where a range is. */
export const listedIn = (statuses: Statuses): readonly number[] =>
  statuses.every(([from, to]) => from === to) ? statuses.map(([from]) => from) : []

/** `400 or 413`, `a 4xx response`. */
export const printStatuses = (statuses: Statuses): string =>
  forms.get(JSON.stringify(statuses)) ?? statuses.map(([from]) => from).join(' or ')

/** `status 400 or 413`, `a 4xx response`: for a person. */
export const describeDue = ({ statuses, why = '' }: Demanded): string => {
  const what = listedIn(statuses).length > 0 ? 'status ' : ''
  return `${what}${printStatuses(statuses)}${why}`
}
