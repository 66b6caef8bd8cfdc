// The objects of a file of recorded traffic as they come: the entries of a HAR file, or the objects
// of a file of JSON lines. Only one of them is held at a time, so a file may be of any length.

/** An entry with a longer text is left out: it is a download, not a response of this interface. */
const maxItemBytes = 32 * 1024 * 1024

/** How deep the entries of a HAR file are, `{"log":{"entries":[`; pages are as deep. */
const harDepth = 3

/** The name of the first member, `log`, is within so many. */
const maxHeadBytes = 1024

export class Items {
  /** Why the text was not read to its end; undefined where it was. */
  broken: string | undefined
  #itemDepth = 0
  #bytes = 0
  #count = 0
  #depth = 0
  #isString = false
  /** The place of a character that a backslash is before. */
  #escapedAt = -1
  #pieces: Buffer[] | undefined
  #pieceBytes = 0
  /** The part of the chunk from which on an item is not kept yet. */
  #from = 0
  #found: unknown[] = []

  /**
   * Not to be called once the text is broken.
   * @returns the items that end in it, parsed; one that is too long is null
   */
  push(chunk: Buffer): readonly unknown[] {
    this.#found = []
    this.#from = 0
    for (const { 0: sign, index } of chunk.toString('latin1').matchAll(/["\\{}[\]]/g)) {
      if (this.#isString) this.#inString(sign, this.#bytes + index)
      else if (sign === '"') this.#isString = true
      else if (sign === '{' || sign === '[') this.#open(sign, chunk, index)
      else if (sign !== '\\') this.#close(chunk, index)
      if (this.broken !== undefined) return this.#found
    }
    this.#keep(chunk.subarray(this.#from))
    this.#bytes += chunk.length
    return this.#found
  }

  /** To be called once there is no more text. @param why it ended early */
  end(why?: string): void {
    const isCut = this.#depth !== 0 || this.#isString || why !== undefined
    if (isCut) this.broken ??= `at byte ${this.#bytes}, its end${why ? ` (${why})` : ''}`
  }

  #inString(sign: string, at: number): void {
    if (at === this.#escapedAt) return
    if (sign === '\\') this.#escapedAt = at + 1
    this.#isString = sign !== '"'
  }

  #open(sign: string, chunk: Buffer, index: number): void {
    if (sign === '{' && this.#depth === this.#itemDepth) {
      this.#pieces = []
      this.#pieceBytes = 0
      this.#from = index
    } else if (this.#count === 0 && this.#pieces && this.#pieceBytes < maxHeadBytes) {
      const rest = chunk.subarray(this.#from, this.#from + maxHeadBytes)
      if (/^\{\s*"log"/.test(Buffer.concat([...this.#pieces, rest]).toString())) {
        this.#itemDepth = harDepth
        this.#pieces = undefined
      }
    }
    this.#depth += 1
  }

  #close(chunk: Buffer, index: number): void {
    this.#depth -= 1
    if (this.#depth < 0) this.broken = `at byte ${this.#bytes + index}`
    if (!this.#pieces || this.#depth !== this.#itemDepth) return
    this.#keep(chunk.subarray(this.#from, index + 1))
    const isWhole = this.#pieceBytes <= maxItemBytes
    const text = isWhole ? Buffer.concat(this.#pieces).toString() : 'null'
    this.#pieces = undefined
    this.#count += 1
    try {
      const item: unknown = JSON.parse(text)
      const isPage = this.#itemDepth === harDepth && isWhole && !('request' in Object(item))
      if (!isPage) this.#found.push(item)
    } catch {
      this.broken = `in item ${this.#count}, which is no JSON`
    }
  }

  /** A copy: the chunk is used again. */
  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length
    if (this.#pieceBytes <= maxItemBytes) this.#pieces?.push(Buffer.from(piece))
  }
}
