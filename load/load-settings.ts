// What a load is told: how many connections, how long, and where else.

/** Where the same load is put besides the target. */
export type Beside = 'prism' | 'reference'

/** What the command line says about the load. */
export interface LoadSettings {
  /** Connections at once, one number for each step of a scenario that has steps. */
  readonly connections: readonly number[]
  /** How long a scenario goes on whose length is free; null: as long as it says. */
  readonly durationMs: number | null
}
