// What marks a run: the names of what it creates, its own category, the seed of each check.

import type { JsonObject } from './json.ts'
import { Untested } from './outcome.ts'

/** FNV-1a over the id, mixed with the seed: a 32-bit integer. */
export const deriveSeed = (runSeed: number, id: string): number => {
  let hash = 0x811c9dc5 ^ runSeed
  for (const byte of Buffer.from(id)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash | 0
}

const maxNames = 1_000_000

const ownName = /petvet-\w+-\d+/

/** A letter of a name may be written as an escape of JSON. */
const unescaped = (json: string): string =>
  json.replace(/\\u([0-9a-f]{4})/gi, (_escape, code) => String.fromCharCode(Number(`0x${code}`)))

/** The names of what a run creates: nobody else knows them. */
export class Names {
  /** Begins every name of this run, except where the name itself is under test. */
  readonly mark: string
  #made: number
  readonly #sent = new Map<string, number>()

  /** @param attempt how often the run was resumed: no name is used twice */
  constructor(runId: string, attempt = 0) {
    this.mark = `petvet-${runId}-`
    this.#made = attempt * maxNames
  }

  fresh(): string {
    this.#made += 1
    return `${this.mark}${this.#made}`
  }

  /** Counts the body of a request that is about to be sent, whatever becomes of it. */
  countSent(body: string | null): void {
    const [name] = ownName.exec(unescaped(body ?? '')) ?? []
    if (name !== undefined) this.#sent.set(name, (this.#sent.get(name) ?? 0) + 1)
  }

  /** How often this run sent a name; infinite for one that is not known to be its own. */
  readonly timesSent = (name: unknown): number =>
    this.#sent.get(ownName.exec(String(name))?.[0] ?? '') ?? Number.POSITIVE_INFINITY
}

/** A positive int64 beyond 2^53 that no other run is likely to use. */
const ownCategory = (runId: string): bigint => {
  const digits = [...runId].reduce((sum, letter) => sum * 37n + BigInt(letter.charCodeAt(0)), 0n)
  return 2n ** 60n + (digits % 2n ** 60n)
}

type OnDecided = (free: boolean, accepted: readonly bigint[]) => void

/** The categories that pets may be created in. */
export class Categories {
  /** Known to exist; empty: any may be used until one is refused. */
  readonly configured: readonly bigint[]
  /** Whether any positive int64 may be used, so far as this run has found out. */
  free: boolean
  /** Those that may be used when not free: configured ones, and those that were accepted. */
  known: readonly bigint[]
  /** Whether it may still turn out that only some exist. */
  isOpen = false
  readonly #own: bigint
  readonly #onDecided: OnDecided

  constructor(configured: readonly bigint[], runId: string, onDecided: OnDecided = () => {}) {
    this.configured = configured
    this.free = configured.length === 0
    this.known = configured
    this.#own = ownCategory(runId)
    this.#onDecided = onDecided
  }

  /**
   * One that may be used; of free ones, this run's own number.
   * @throws Untested (category) where none is known to exist
   */
  get any(): bigint {
    if (this.free) return this.#own
    const [first] = this.known
    if (first !== undefined) return first
    throw new Untested(
      'category',
      'POST /pets got 400 with each category: if the target knows only some, name one (--category)',
    )
  }

  /** Records what the probe found: whether unknown categories are accepted, and which were. */
  decide(found: boolean, accepted: readonly bigint[]): void {
    this.free = found
    this.known = [...new Set([...this.configured, ...accepted])]
    this.#onDecided(found, accepted)
  }
}

/**
 * Makes plain bodies: the members in the order of the interface, and then others. Another order is
 * legal, and sent by the checks that are about it.
 * @param demanded optional members without which the target refuses a creation
 */
export const createNewPet =
  (names: Names, categories: Categories, demanded: () => JsonObject) =>
  (members: JsonObject = {}): JsonObject => {
    const all: JsonObject = {
      name: names.fresh(),
      categoryId: categories.any,
      ...demanded(),
      ...members,
    }
    const { name = null, categoryId = null, status, ...others } = all
    return { name, categoryId, ...(status !== undefined && { status }), ...others }
  }
