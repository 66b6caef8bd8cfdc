// Whether requests share connections: at a target that loses those on a used one, none does.

export interface Connections {
  /** Whether each request has a connection of its own, and a new one. */
  readonly isFresh: () => boolean
  /** Does something with a new connection for each request. */
  readonly anew: <T>(act: () => Promise<T>) => Promise<T>
  /** What got no answer got one on new connections. */
  readonly cured: () => void
  /** What has come out since this was last asked, in a sentence. */
  readonly news: () => readonly string[]
}

/** So often it may be chance: a target may close a connection at any moment. */
const maxCured = 3

const rule =
  'the target loses requests on connections that were used before: each request has a new one'

export const createConnections = (): Connections => {
  let news: string[] = []
  let cured = 0
  let anew = 0
  return {
    isFresh: () => anew > 0 || cured >= maxCured,
    anew: async (act) => {
      anew += 1
      try {
        return await act()
      } finally {
        anew -= 1
      }
    },
    cured: () => {
      cured += 1
      if (cured === maxCured) news = [rule]
    },
    news: () => {
      const said = news
      news = []
      return said
    },
  }
}
