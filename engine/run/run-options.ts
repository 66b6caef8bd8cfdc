// The options of a run: the target, its keys, what may be done to it, and where to write.

import type { Exchange } from '../../history/exchange.ts'
import type { Violation } from '../../history/outcome.ts'
import type { CheckResult, Finding, RunCommand } from '../check/run-file.ts'
import type { KeyOption, PlanOptions } from '../check/spendable-keys.ts'
import { direct, type Target } from '../http/connection-options.ts'
import { firstVariable } from '../http/spellings.ts'
import type { Carried } from '../quota/ledger.ts'
import type { Past } from './journal.ts'

/** A key of the run, named by plan and position: `free-1`; and its variable in printed commands. */
export type LabelledKey<K = KeyOption> = K & { readonly label: string; readonly variable: string }

export const labelKeys = <K extends Pick<KeyOption, 'variable'> & { readonly plan: string }>(
  keys: readonly K[],
): LabelledKey<K>[] => {
  const firstText = keys.find(({ variable }) => variable === undefined)
  return keys.map((key, at) => {
    const ofPlan = keys.slice(0, at + 1).filter(({ plan }) => plan === key.plan)
    const label = `${key.plan}-${ofPlan.length}`
    // Of a further key `PETVET_KEY_PRO_1`.
    const further = `${firstVariable}_${label.toUpperCase().replaceAll('-', '_')}`
    const variable = key.variable ?? (key === firstText ? firstVariable : further)
    return { ...key, label, variable }
  })
}

/** What a run takes at a correct server without a test clock. */
export interface Forecast {
  readonly requests: number
  readonly lengthMs: number
  /** When each check begins, in milliseconds from the start of the run. */
  readonly beginMs: ReadonlyMap<string, number>
  /** What each check sent. */
  readonly sent: ReadonlyMap<string, Sent>
}

/** Requests that count on a key, and those without a valid one. */
export interface Sent {
  readonly keyed: number
  readonly anonymous: number
}

/**
 * What a violation observed, the most frequent kind first, and what of its requests matters.
 * @param trace all exchanges of the run so far
 * @param shows that the status of a response is not due, where it is not
 */
export type Explain = (
  violation: Violation,
  trace: readonly Exchange[],
  shows?: (exchange: Exchange) => Violation | undefined,
) => { readonly shown: Violation; readonly findings: readonly Finding[] }

export interface RunOptions extends PlanOptions, Target {
  /** Categories known to exist; empty: the run finds out whether any may be used. */
  readonly categories: readonly bigint[]
  readonly shared: boolean
  readonly seed: number
  /** Eight hexadecimal digits, by default random: every name that the run creates has them. */
  readonly runId?: string
  readonly maxRequests: number
  /** How long the run may last; what it has not tested by then is left untested. */
  readonly maxTimeMs?: number
  /** How long a target that is not up yet is waited for; by default it is not. */
  readonly waitForTargetMs?: number | undefined
  /** Whether any must left untested makes the run undecided. */
  readonly strict: boolean
  readonly bail?: boolean
  /** Known failures: they do not end a run with `bail`. */
  readonly excused?: ReadonlySet<string>
  /** Ids of the selected checks, where others only set them up; by default all. */
  readonly selected?: ReadonlySet<string>
  readonly noWait?: boolean
  readonly forecast?: Forecast
  /** Whether only what is sent matters, as in a forecast: content and limits are not judged. */
  readonly isMeasured?: boolean
  /** Where headlines are made; else findings say nothing of their requests. */
  readonly explain?: Explain
  /** Quota state of the keys after earlier runs in this process. */
  readonly carried?: Pick<Carried, 'open'>
  /** How long to pause before each further request to a target that stopped answering. */
  readonly pausesMs?: readonly number[]
  readonly headers: readonly (readonly [string, string])[]
  /** Values of those headers that were read from the environment, and their variables. */
  readonly secrets: readonly { readonly text: string; readonly name: string }[]
  /** What the run did before it was interrupted; without it a new run starts. */
  readonly past?: Past
  /** The command of this run, for its run file. */
  readonly command?: RunCommand
}

/** A target that needs no more than an address. */
export const plainTarget = {
  clockUrl: null,
  categories: [],
  descriptionUrl: null,
  shared: false,
  headers: [],
  secrets: [],
  reach: direct,
} as const

/** What happens during a run, for a progress line; never more than one at a time. */
export type RunEvent =
  | {
      readonly kind: 'start'
      readonly seed: number
      readonly checks: number
      /** About how many it will send, and how long it takes, where that is known. */
      readonly requests?: number
      readonly leftMs?: number
    }
  | {
      readonly kind: 'check'
      readonly id: string
      readonly done: number
      readonly all: number
      /** About the time that is left, this check included; none where no time is waited. */
      readonly leftMs?: number | undefined
      /** Whether it is sent again, as a law of the limiter is in doubt. */
      readonly isAgain?: true
    }
  | {
      readonly kind: 'waiting'
      readonly ms: number
      /** `for key free-1` */
      readonly why: string
      /** Whether a log has a line for each. */
      readonly isLogged?: true
    }
  | { readonly kind: 'request'; readonly sent: number }
  /** Once a second of a load: what it does, in a line, and about the time that is left. */
  | { readonly kind: 'load'; readonly text: string; readonly leftMs: number }
  | { readonly kind: 'result'; readonly result: CheckResult }
  /** A response violates a clause, whose result follows at the end. */
  | { readonly kind: 'violation'; readonly result: CheckResult }
  | { readonly kind: 'note'; readonly text: string }

export interface RunSink {
  /** One line of `exchanges.ndjson`, keys already replaced, where they are kept. */
  readonly exchange?: (line: string) => void
  /** One line of the journal, where one is kept. */
  readonly journal?: (line: string) => void
  readonly event: (event: RunEvent) => void
}
