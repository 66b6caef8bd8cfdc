// What the terminal report needs besides the run.
import type { KnownVerdict } from './known.ts'

export type Paint = (style: 'bold' | 'red' | 'yellow' | 'green', text: string) => string

export interface TerminalOptions {
  readonly paint: Paint
  /** Whether all is told that is told in short else. */
  readonly verbose: boolean
  /** How wide the terminal is; null where there is none, and lines are not broken. */
  readonly columns: number | null
  readonly known: KnownVerdict
  /** The failures that are known of each column. */
  readonly knownOf: Readonly<Record<string, KnownVerdict>>
  /** Where the run lies, or null where that is not to be told. */
  readonly folder: string | null
}
