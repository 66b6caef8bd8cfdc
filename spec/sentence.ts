// The form of a requirement of the interface, and the three levels it can have.

/**
 * `must`: the document requires it; `should`: HTTP or prudence does; `open`: the document does not
 * say, so a response is recorded and never a violation.
 */
export type Level = 'must' | 'should' | 'open'

/** How a requirement of the dashboard workflow shows; `petvet domains` checks those. */
export type Shows = 'outside' | 'over time' | 'configuration' | 'model'

export interface Sentence {
  /** Heading of `interface.md`, with the row or rule number where there is one. */
  readonly section: string
  readonly level: Level
  readonly says: string
  /** Why no request can test it. */
  readonly untestable?: string
  /** What will test it, if no check does yet. */
  readonly planned?: string
  /** Where it shows, if not in the responses of the API. */
  readonly shows?: Shows
}

export interface Must extends Sentence {
  readonly level: 'must'
}
export interface Should extends Sentence {
  readonly level: 'should'
}
export interface Open extends Sentence {
  readonly level: 'open'
}
type Note = Pick<Sentence, 'untestable' | 'planned' | 'shows'>

export const must = (section: string, says: string, note: Note = {}): Must => ({
  section,
  level: 'must',
  says,
  ...note,
})

export const should = (section: string, says: string, note: Note = {}): Should => ({
  section,
  level: 'should',
  says,
  ...note,
})

export const open = (section: string, says: string, note: Note = {}): Open => ({
  section,
  level: 'open',
  says,
  ...note,
})
