// The form of a requirement of the interface, and the three levels it can have.

/**
 * `must`: the document requires it; `should`: HTTP or prudence does; `open`: the document does not
 * say, so a response is recorded and never a violation.
 */
export type Level = 'must' | 'should' | 'open'

/** Where a requirement of the dashboard workflow can be observed; `petvet domains` checks it. */
export type Shows = 'outside' | 'over time' | 'configuration' | 'model'

export interface Requirement {
  /** The heading in `interface.md`, with the table row or the number of the rule if it has one. */
  readonly section: string
  readonly level: Level
  readonly says: string
  /** Why no request can test it. */
  readonly untestable?: string
  /** What will test it, if there is no check yet. */
  readonly planned?: string
  /** Where it can be observed, if not in responses of the API. */
  readonly shows?: Shows
}

export interface Must extends Requirement {
  readonly level: 'must'
}
export interface Should extends Requirement {
  readonly level: 'should'
}
export interface Open extends Requirement {
  readonly level: 'open'
}
type Note = Pick<Requirement, 'untestable' | 'planned' | 'shows'>

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
