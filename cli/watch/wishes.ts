// What is to happen next in a watch, as keys and the server's returns ask for it.

/** What a round asks. */
export type Scope = 'failed first' | 'all' | 'failed'

export type Wish =
  | { readonly kind: 'round'; readonly scope: Scope; readonly why: string }
  /** The server is away: a round that is under way is of no use. */
  | { readonly kind: 'away' }
  | { readonly kind: 'quit' }

export interface Wishes {
  /** The latest wish stands; after a wish to quit there is no other. */
  readonly put: (wish: Wish) => void
  /** Waits for a wish, and takes it. */
  readonly next: () => Promise<Wish>
  /** Whether the wish to quit was put. */
  readonly isEnding: () => boolean
  /** Whether there is nothing to be done next. */
  readonly isIdle: () => boolean
  /** Calls back at the next wish, which stays there to be taken. */
  readonly atNext: (call: (wish: Wish) => void) => void
}

export const createWishes = (): Wishes => {
  let standing: Wish | undefined
  let isEnding = false
  let waiting: ((wish: Wish) => void) | undefined
  let watching: ((wish: Wish) => void) | undefined
  return {
    put: (wish) => {
      if (isEnding) return
      isEnding = wish.kind === 'quit'
      const told = waiting
      waiting = undefined
      if (told) {
        told(wish)
        return
      }
      standing = wish
      watching?.(wish)
    },
    next: () =>
      new Promise((resolve) => {
        if (standing) resolve(standing)
        else waiting = resolve
        standing = undefined
      }),
    isEnding: () => isEnding,
    isIdle: () => standing === undefined && !isEnding,
    atNext: (call) => {
      watching = call
      if (standing) call(standing)
    },
  }
}
