// The messages between a test and the server that kills processes for it.

/** The keys of these tests. */
export const keys = [
  { plan: 'free', key: 'petvet-kill-key-one' },
  { plan: 'free', key: 'petvet-kill-key-two' },
  { plan: 'pro', key: 'petvet-kill-key-three' },
] as const

/** Signals a process after so many requests, before or so long after their response. */
export interface Order {
  readonly pid: number
  readonly at: number
  readonly afterMs: number | null
  readonly signal: 'SIGKILL' | 'SIGSTOP'
}

export interface Ready {
  readonly url: string
  readonly clockUrl: string | null
}

/** Requests that came, in all and with each key. */
export interface Counts {
  readonly all: number
  readonly byKey: readonly number[]
}
