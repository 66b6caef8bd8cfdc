// Recorded traffic below one base URL, as much at a time as fits into memory.
import type { PastExchange } from '../engine/http/recorder.ts'
import { count } from '../history/quote.ts'
import type { Source } from './files.ts'
import { type Recorded, readEntry } from './har.ts'

/** So much is in memory at a time; a correct server sends it in some thousand exchanges. */
const maxWeight = 24 * 1024 * 1024

const elsewhere = 'at another address'
const tooMuch = 'more than can be kept in memory'

/** About how much memory it takes. */
const weightOf = ({ request, response }: Recorded): number => {
  const bodies = [request, response].flatMap((one) => [one?.body ?? '', one?.bodyBase64 ?? ''])
  return 3_000 + 2 * bodies.reduce((sum, { length }) => sum + length, request.url.length)
}

/** Whether petvet recorded it. */
const isLine = (item: unknown): item is PastExchange => {
  const { seq, sentMs, ms, request, response } = Object(item)
  const isTimed = [seq, sentMs, ms].every((each) => typeof each === 'number')
  const areMessages = [request, response ?? request].every((one) => Array.isArray(one?.headers))
  return isTimed && areMessages && typeof request.url === 'string'
}

/** An entry of a HAR file, or a line of `exchanges.ndjson`; or why it cannot be judged. */
const readItem = (item: unknown, file: number): Recorded | string =>
  isLine(item) ? { ...item, key: item.key ?? null, file } : readEntry(item, file)

/** An address without its fragment, as `https://api.example.com` and `/v1/pets?limit=1`. */
const partsOf = (url: string): readonly [origin: string, target: string] => {
  const [, origin = '', target = ''] = /^([a-z][\w+.-]*:\/\/[^/?#]*)(.*)$/is.exec(url) ?? []
  return [origin.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2'), target]
}

/** The path below a base URL, as it was sent; undefined: it is at another address. */
const pathBelow = (base: string, url: string): string | undefined => {
  const [[origin, target], [ownOrigin, ownPath]] = [partsOf(url), partsOf(base)]
  const path = target.slice(ownPath.length)
  const isBelow = target.startsWith(ownPath) && /^(?:[/?]|$)/.test(path)
  return origin === ownOrigin && isBelow ? path : undefined
}

/** @returns the longest address that ends in /v1 and that most requests for pets are below */
const findBase = (all: readonly Recorded[]): string | undefined => {
  const found = all.flatMap(({ request }) => {
    const [origin, target] = partsOf(request.url)
    const [, path] = /^([^?]*\/v1)(?=\/pets(?:[/?]|$))/.exec(target) ?? []
    return path === undefined ? [] : `${origin}${path}`
  })
  const groups = [...Map.groupBy(found, (base) => base)]
  groups.sort(([a, n], [b, m]) => m.length - n.length || b.length - a.length)
  return groups[0]?.[0]
}

/** It can be read twice. */
export class Traffic {
  /** By default the address ending in /v1 that most requests for pets are below. */
  base: string | undefined
  /** Whether there is a request for pets. */
  isOfPets = false
  /** How many entries were read, those that are left out included. */
  entries = 0
  /** Where it is broken, in lines. */
  notes: string[] = []
  /** Why entries are left out, with their number. */
  readonly leftOut = new Map<string, number>()
  readonly #source: Source
  #pieces = 0
  /** The only piece. */
  #kept: readonly Recorded[] | undefined
  /** Files with methods in capitals: some exporters write all of them in lower case. */
  readonly #inCapitals = new Set<number>()

  constructor(source: Source, base: string | undefined) {
    this.#source = source
    this.base = base?.replace(/\/+$/, '')
  }

  /** Whether all of it is known at once. */
  get isWhole(): boolean {
    return this.#kept !== undefined && !this.leftOut.has(tooMuch)
  }

  leave(why: string, times = 1): void {
    if (times > 0) this.leftOut.set(why, times + (this.leftOut.get(why) ?? 0))
  }

  /**
   * @param onProgress gets how much was read, in words
   * @returns pieces, each of them by itself in memory
   */
  async *read(onProgress: (text: string) => void): AsyncGenerator<readonly Recorded[]> {
    if (this.#kept) {
      yield this.#kept
      return
    }
    ;[this.entries, this.#pieces, this.notes] = [0, 0, []]
    this.leftOut.clear()
    let only: readonly Recorded[] | undefined
    for await (const piece of this.#cut(onProgress)) {
      this.#pieces += 1
      const own = this.#below(piece)
      only = this.#pieces === 1 ? own : undefined
      yield own
    }
    this.#kept = only
  }

  async *#cut(onProgress: (text: string) => void): AsyncGenerator<readonly Recorded[]> {
    let [piece, weight] = [[] as Recorded[], 0]
    for await (const [items, file] of this.#source.read(onProgress, this.notes)) {
      this.entries += items.length
      for (const item of items) {
        const found = this.#wanted(readItem(item, file))
        if (typeof found === 'string') {
          this.leave(found)
          continue
        }
        piece.push(found)
        weight += weightOf(found)
        if (weight > maxWeight) {
          yield piece
          ;[piece, weight] = [[], 0]
        }
      }
    }
    if (piece.length > 0) yield piece
  }

  #wanted(found: Recorded | string): Recorded | string {
    if (typeof found === 'string') return found
    const { url } = found.request
    const isWanted = this.base
      ? pathBelow(this.base, url) !== undefined
      : /\/v1(?:[/?]|$)/.test(url)
    if (!isWanted) return elsewhere
    return this.#source.isOnce && this.#pieces > 0 ? tooMuch : found
  }

  /** Of those that were kept while the base URL was not known, some are at another one. */
  #below(piece: readonly Recorded[]): readonly Recorded[] {
    this.base ??= findBase(piece)
    for (const { request, file } of piece) {
      if (/[A-Z]/.test(request.method)) this.#inCapitals.add(file)
    }
    const own = piece.flatMap((one) => {
      const { method, url } = one.request
      const path = this.base === undefined ? undefined : pathBelow(this.base, url)
      if (path === undefined) return []
      this.isOfPets ||= /^\/pets(?:[/?]|$)/.test(path)
      const sent = this.#inCapitals.has(one.file) ? method : method.toUpperCase()
      return [{ ...one, request: { ...one.request, method: sent, url: `${this.base}${path}` } }]
    })
    this.leave(elsewhere, piece.length - own.length)
    return own
  }

  /** What was read of it, and that it was judged in pieces, in lines. */
  describe(judged: number): readonly string[] {
    const words = [...this.leftOut].map(([why, number]) => `${number} ${why}`)
    const rest = words.length > 0 ? `; left out: ${words.join(', ')}` : ''
    const pieces =
      `they are judged in ${this.#pieces} pieces, as more is not kept in memory: what is known ` +
      'of one is not held against the next, and other clients are assumed'
    return [
      ...this.notes,
      `${judged} of ${count(this.entries, 'entry', 'entries')} are below ${this.base}${rest}`,
      ...(this.#pieces > 1 ? [pieces] : []),
    ]
  }
}
