// What every format is made of: a finished run, what is known of it, and its exchanges.
import type { RunFile } from '../engine/run-file.ts'
import type { ReadExchanges } from './exchanges.ts'
import type { KnownVerdict } from './known.ts'

/** All that a format is made of: it knows no clock, no file and no environment. */
export interface Source {
  readonly run: RunFile
  readonly known: KnownVerdict
  /** Each call reads them anew; a run may have more than memory holds. */
  readonly exchanges: ReadExchanges
}
