// The form of a requirement of the interface, and the three levels it can have.

/**
 * `must`: the document requires it; `should`: HTTP or prudence does; `open`: the document does not
 * say, so a response is recorded and never a violation.
 */
export type Level = 'must' | 'should' | 'open'

export interface Requirement {
  /** The headings in `interface.md`, with the table row or the number of the rule if it has one. */
  readonly section: string
  readonly level: Level
  readonly says: string
  /** The ruling on it, by its number in `rulings.md`. */
  readonly ruling?: number
  /** Why no request can test it. */
  readonly untestable?: string
  /** The id of a requirement that says the same, or more: its checks judge this one too. */
  readonly coveredBy?: string
}

type Note = Omit<Requirement, 'section' | 'level' | 'says'>

/** A requirement of one level, without its section. */
export interface Stated<L extends Level> extends Note {
  readonly level: L
  readonly says: string
}

/** @param note the number of the ruling on it, or that with what else there is to say */
const stated =
  <L extends Level>(level: L) =>
  (says: string, note: Note | number = {}): Stated<L> => ({
    ...{ level, says },
    ...(typeof note === 'number' ? { ruling: note } : note),
  })

export const must = stated('must')
export const should = stated('should')
export const open = stated('open')

/** The requirements of one section. */
export const under = <Rows extends Readonly<Record<string, Stated<Level>>>>(
  section: string,
  rows: Rows,
): { readonly [Id in keyof Rows]: Rows[Id] & { readonly section: string } } => {
  const placed = Object.entries(rows).map(([id, row]) => [id, { section, ...row }])
  return Object.fromEntries(placed)
}
