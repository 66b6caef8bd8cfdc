// The objects of a file of recorded traffic as they come: the entries of a HAR file, or the objects
// of a file of JSON lines. Only one of them is held at a time, so a file may be of any length.

/** An entry with a longer text is left out: it is a download, not a response of this interface. */
const maxItemBytes = 32 * 1024 * 1024

/** How deep the entries of a HAR file are: in the list `log.entries`. */
const harDepth = 3

export class Items {
  /** Why the text was not read to its end; undefined where it was. */
  broken: string | undefined
  readonly #take: (item: unknown) => void
  #bytes = 0
  #count = 0
  #depth = 0
  #itemDepth = 0
  #isString = false
  /** The place of a character that a backslash is before. */
  #escapedAt = -1
  /** The latest text that was outside of values: the name of a member. */
  #name = ''
  #isAmongEntries = false
  #pieces: Buffer[] | undefined
  #pieceBytes = 0
  /** The part of the chunk from which on its text, or the item, is not kept yet. */
  #from = { name: 0, item: 0 }

  /** @param take gets each item, parsed; one that is too long is null */
  constructor(take: (item: unknown) => void) {
    this.#take = take
  }

  /** @returns false once the text is broken: the rest is not read */
  push(chunk: Buffer): boolean {
    const text = chunk.toString('latin1')
    this.#from = { name: 0, item: 0 }
    for (const { 0: sign, index } of text.matchAll(/["\\{}[\]]/g)) {
      if (this.broken !== undefined) return false
      if (this.#isString) this.#inString(sign, index, text)
      else if (sign === '"') this.#beginString(index)
      else if (sign === '{' || sign === '[') this.#open(sign, index)
      else if (sign !== '\\') this.#close(index, chunk)
    }
    if (this.#isString && this.#depth < harDepth) this.#name += text.slice(this.#from.name)
    this.#keep(chunk.subarray(this.#from.item))
    this.#bytes += chunk.length
    return this.broken === undefined
  }

  /** To be called once there is no more text. @param why it ended early */
  end(why?: string): void {
    const isCut = this.#depth !== 0 || this.#isString || why !== undefined
    if (isCut) this.broken ??= `at byte ${this.#bytes}, its end${why ? ` (${why})` : ''}`
  }

  #inString(sign: string, index: number, text: string): void {
    if (this.#bytes + index === this.#escapedAt) return
    if (sign === '\\') this.#escapedAt = this.#bytes + index + 1
    if (sign !== '"') return
    this.#isString = false
    if (this.#depth >= harDepth) return
    this.#name += text.slice(this.#from.name, index)
    if (this.#depth !== 1 || this.#itemDepth !== 0 || this.#name !== 'log') return
    this.#itemDepth = harDepth
    this.#pieces = undefined
  }

  #beginString(index: number): void {
    this.#isString = true
    this.#from.name = index + 1
    if (this.#depth < harDepth) this.#name = ''
  }

  #open(sign: string, index: number): void {
    const isInside = this.#itemDepth === 0 || this.#isAmongEntries
    if (sign === '{' && isInside && !this.#pieces && this.#depth === this.#itemDepth) {
      this.#pieces = []
      this.#pieceBytes = 0
      this.#from.item = index
    }
    if (this.#depth === harDepth - 1) this.#isAmongEntries = this.#name === 'entries'
    this.#depth += 1
  }

  #close(index: number, chunk: Buffer): void {
    this.#depth -= 1
    if (this.#depth < 0) this.broken = `at byte ${this.#bytes + index}`
    if (!this.#pieces || this.#depth !== this.#itemDepth) return
    this.#keep(chunk.subarray(this.#from.item, index + 1))
    this.#end(this.#pieces)
  }

  /** A copy: the chunk is used again. */
  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length
    if (this.#pieceBytes <= maxItemBytes) this.#pieces?.push(Buffer.from(piece))
  }

  #end(pieces: readonly Buffer[]): void {
    this.#pieces = undefined
    this.#count += 1
    try {
      const isWhole = this.#pieceBytes <= maxItemBytes
      this.#take(isWhole ? JSON.parse(Buffer.concat(pieces).toString()) : null)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      this.broken = `in item ${this.#count}, which is no JSON`
    }
  }
}
