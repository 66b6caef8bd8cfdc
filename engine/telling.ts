// The form in which it is told how a question is judged, and the words that many of them share.

/** In plain words, for who has to believe a verdict or to dispute it. */
export interface Telling {
  /** What is sent, or which answers are looked at. */
  readonly asks: string
  /** What is a breach; of an open question: what is recorded. */
  readonly finds: string
  /** What leaves it undecided, beside a missing permission or key, a 429, or a lost answer. */
  readonly open: string | null
}

/** By the id of a question. */
export type Tellings = Readonly<Record<string, Telling>>

type Row = readonly [asks: string, finds: string, open?: string]

export const tellings = (rows: Readonly<Record<string, Row>>): Tellings =>
  Object.fromEntries(
    Object.entries(rows).map(([id, [asks, finds, open]]) => [
      id,
      { asks, finds, open: open ?? null },
    ]),
  )

/** The control: a sound request of the operation, asked once in a run. */
export const afterSound = {
  list: 'a sound list is not answered 200 (blocked)',
  create: 'a sound creation is not answered 201 (blocked)',
  get: 'the fetch of an animal that exists is not answered 200 (blocked)',
} as const

export const noAnimals = 'no animal that would tell is known, and none may be created'

/** Where a check asks a sample of what it asks elsewhere in full; see quota/ample.ts. */
export const whereScarce =
  ', by the seed, where a run has neither a test clock nor a key of a plan larger than Free'
