// The run file: the one form of a finished run, from which every other format is made.

import type { Header, SentRequest } from '../../history/exchange.ts'
import type { Because, Outcome } from '../../history/outcome.ts'
import type { Text } from '../../history/text.ts'
import type { Wrong } from '../../history/wrong.ts'
import type { Part } from '../../model/read-body.ts'
import type { Level } from '../../spec/requirements/requirement.ts'
import type { RequirementId } from '../../spec/requirements.ts'

/** A time without the run, and how many requests were in flight when it began. */
export interface Interruption {
  readonly interruptedAt: string
  readonly resumedAt: string
  readonly lost: number
}

/** The schema number; a reader refuses numbers it does not know. */
export const runFileSchema = 1

export interface EvidenceResponse {
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: string
  readonly bodyBase64?: string
  /** Its whole length, if only its beginning is here; `exchanges.ndjson` has all of it. */
  readonly bodyBytes?: number
}

export interface Evidence {
  /** The number of the exchange in `exchanges.ndjson`. */
  readonly seq: number
  /** The key that it was sent with, by plan and position (`free-1`), if it was sent with one. */
  readonly key?: string
  readonly request: Omit<SentRequest, 'framing'>
  readonly response: EvidenceResponse | null
  readonly noResponse?: string
  /** The check that sent it: for a clause another than itself. */
  readonly check?: string
  /** A line for a shell, with the variable of the key in its place, by default `$PETVET_KEY`. */
  readonly curl: string
  /** Where it was in flight with others: how many, and a shell script that sends all of them. */
  readonly together?: { readonly others: number; readonly script: string }
}

/** About a member, parameter or header, `key` or `body`; the words follow the operation. */
interface Condition extends Pick<Part, 'kind' | 'words' | 'brief'> {
  readonly about: string
  /** What the first other requests had in its place. */
  readonly also?: readonly Pick<Part, 'words' | 'brief'>[]
}

/** What a failed check observed, as data; a check that judges many responses may have several. */
export interface Finding extends Omit<Wrong, 'by' | 'says' | 'ofKey' | 'ofPet' | 'inSequence'> {
  /** `GET /pets`, `POST /pets`, `GET /pets/{petId}`; others as they were sent. */
  readonly operations: readonly string[]
  /** What of the request decides, as far as requests that pass isolate it. */
  readonly conditions: readonly Condition[]
  readonly passing?: readonly number[] // without each condition; the first of `exchanges` has all
  readonly chance?: string // why no part decides: `3 of 10 times`, `all 250 within 1.5 s`
  readonly isOpen?: true // nothing isolates what decides, and the request was no plain one
  readonly targets?: readonly string[] // what was sent, where nothing is known to decide
  readonly after?: string // what was sent before: `right after POST /pets without name (400)`
  readonly isRepeat?: true // it has the body of an earlier response, which `after` names
  /** The keys that show it, if it is about calls of a key; none where all keys of the run do. */
  readonly keys?: readonly string[]
  /** The Date of the first response, where it showed only after a long move of the clock. */
  readonly date?: string
  /** Which of the responses with its status these are, if not all: `of GET /pets/{petId}`. */
  readonly where?: string
  /** The creations of the pets that it is about, where this run created all of them. */
  readonly creations?: readonly number[]
  /** How many responses had its status, if it is known of each; whether it is true of all. */
  readonly alike?: number
  readonly isOfAll?: true
  /** Of the response; null without one. */
  readonly status: number | null
  readonly expected: Text
  readonly actual: Text
  /** What was sent before, or the time that had passed, makes the difference. */
  readonly dependsOnHistory?: true
  /** How many show it, of how many judged; the plainest and others; one, of a further headline. */
  readonly times: number
  readonly judged: number
  readonly exchanges: readonly number[]
  readonly evidence?: Evidence
}

export interface CheckResult {
  readonly id: string
  readonly requirement: RequirementId
  readonly level: Level
  readonly outcome: Outcome
  readonly because: Because | null
  /** It is inapplicable for lack of an option, and not by what the target claims. */
  readonly notGiven?: true
  /** One line: expected and actual, what was observed, or what is missing. */
  readonly detail: string
  readonly expected?: Text
  readonly actual?: Text
  /** What to change, where that is known: `remove A 203.0.113.9 of www; add CNAME www ...`. */
  readonly fix?: string
  /** Of an untested one: the check whose failure prevents it, by its id. */
  readonly blockedBy?: string
  readonly findings?: readonly Finding[]
  /** Of a pass: the exchanges of other checks that it judged, by `seq`. */
  readonly judged?: readonly number[]
  readonly requests: number
  /** Real time from its first request to its end, waits included, if it ran. */
  readonly durationMs?: number
  readonly evidence: readonly Evidence[]
}

export interface RequirementResult extends Pick<CheckResult, 'level' | 'outcome'> {
  readonly id: RequirementId
  readonly checks: readonly string[]
}

/** A headline: what failed checks have in common. It changes no outcome. */
export interface Cause {
  /** What failed, made of the evidence alone. */
  readonly observed: string
  /** Ids of the failed checks and warnings that it explains. */
  readonly explains: readonly string[]
  /** How many checks are untested because requests that they need got such a response. */
  readonly blocks?: number
  /** The id of the check to look at first, and which of its findings, if not the first. */
  readonly show: string
  readonly finding?: number
  readonly requirement: RequirementId
}

/** The command of a run, so that a reader can repeat it. */
export interface RunCommand {
  /** `check`, `load`, `domains check`. */
  readonly name: string
  /** Each with its value; a key is written as `free=$VARIABLE`. */
  readonly arguments: readonly (readonly string[])[]
}

export type Verdict = 'conformant' | 'not-conformant' | 'undecided' | 'error'

export interface RunFile {
  readonly schema: 1
  readonly petvet: string
  readonly interface: string
  readonly seed: number
  readonly startedAt: string
  readonly durationMs: number
  readonly target: {
    readonly baseUrl: string
    readonly plans: readonly string[]
    readonly clock: boolean
    /** The proxy that was used, without credentials. */
    readonly proxy?: string
    readonly insecure?: true
    readonly clientCertificate?: true
  }
  /** Absent where a program without a command line started the run. */
  readonly command?: RunCommand
  readonly verdict: Verdict
  readonly interrupted: boolean
  /** The check whose failure ended the run (--bail). */
  readonly bailedBy?: string
  readonly known?: string // the text of the file of known failures
  readonly interruptions?: readonly Interruption[]
  /** Why the run was impossible, in one line, if it was. */
  readonly impossible: string | null
  readonly notes: readonly string[]
  readonly decided: {
    readonly must: readonly [decided: number, visible: number]
    readonly should: readonly [decided: number, visible: number]
  }
  readonly requests: number
  /** Those that count on a key, by plan and position (`free-1`). */
  readonly requestsByKey: Readonly<Record<string, number>>
  /** Of the rows, by the part of the interface: how many values were sent of how many. */
  readonly values?: Readonly<Record<string, readonly [sent: number, all: number]>>
  /** By how they follow each other: how many ordered pairs of kinds were sent of how many. */
  readonly pairs?: Readonly<Record<string, readonly [sent: number, all: number]>>
  readonly checks: readonly CheckResult[]
  /** The headlines of what failed, the most severe first; absent in runs of a load. */
  readonly causes?: readonly Cause[]
  readonly requirements: readonly RequirementResult[]
  readonly observations: Readonly<Record<string, string>>
  readonly columns?: Readonly<Record<string, RunFile>>
  /** What the load scenarios measured, in a run of them. */
  readonly load?: readonly LoadScenarioFigures[]
}

/** What became of a request, in words; every request sent is counted as exactly one of these. */
const fateWords = {
  served: 'served', // 2xx
  refused: 'refused (429)', // for a spent quota
  banned: 'banned', // the response to a banned key, whatever its status
  otherClientError: 'another 4xx', // redirects included
  serverError: 'a 5xx',
  timeout: 'timed out',
  reset: 'connection lost', // also where it was closed before the response was complete
} as const
export type Fate = keyof typeof fateWords
export const fates = Object.keys(fateWords) as readonly Fate[]

export type Counts = Readonly<Record<Fate, number>>

/** Latencies of all complete responses, in milliseconds. */
export interface Latency extends Readonly<Record<(typeof percentiles)[number][1], number>> {
  readonly count: number
  readonly meanMs: number
}

/** One second of one key; seconds without a request are left out. */
export interface LoadSecond {
  /** Whole seconds of the target since the scenario began, moves of its clock included. */
  readonly second: number
  /** The key by plan and position (`free-1`). */
  readonly key: string
  readonly counts: Partial<Counts>
}

/** One step of a scenario that raises the load step by step. */
export interface LoadStep {
  readonly connections: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errors: number
}

export interface LoadFigures {
  readonly durationMs: number
  /** Requests that were put on the wire; the counts add up to it. */
  readonly sent: number
  /** Requests that were planned and never put on the wire. */
  readonly neverSent: number
  readonly counts: Counts
  readonly countsByKey: Readonly<Record<string, Counts>>
  readonly latency: Latency | null
  readonly seconds: readonly LoadSecond[]
  readonly steps?: readonly LoadStep[]
}

export interface LoadScenarioFigures {
  readonly id: string
  readonly says: string
  readonly connections: number
  /** By column: `target`, the baselines `prism` and `reference`, and `worker 0`, ... of Locust. */
  readonly columns: Readonly<Record<string, LoadFigures>>
}

/** `20 refused (429), 1 timed out`; fates without a request are left out. */
export const describeCounts = (counts: Partial<Counts>): string =>
  fates
    .filter((fate) => (counts[fate] ?? 0) > 0)
    .map((fate) => `${counts[fate]} ${fateWords[fate]}`)
    .join(', ')

/** A percentile, and how many samples it takes for one of them to lie above it; the maximum. */
export const percentiles = [
  ['p50', 'p50Ms', 2],
  ['p90', 'p90Ms', 10],
  ['p95', 'p95Ms', 20],
  ['p99', 'p99Ms', 100],
  ['p99.9', 'p999Ms', 1_000],
  ['max', 'maxMs', 1],
] as const

/** Those that the number of samples can carry. */
export const latencyTimes = (latency: Latency | null): (readonly [name: string, ms: number])[] =>
  percentiles.flatMap(([name, member, minCount]) =>
    latency === null || latency.count < minCount ? [] : [[name, latency[member]] as const],
  )

/** `p50 3.25 ms, max 12.0 ms`, and p99 if there are enough samples. */
export const describeLatency = (latency: Latency): string =>
  latencyTimes(latency)
    .filter(([name]) => ['p50', 'p99', 'max'].includes(name))
    .map(([name, ms]) => `${name} ${describeMs(ms)}`)
    .join(', ')

export const describeMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`

/** Whether a run checked domains: it has no key, no clock and no seed. */
export const isDomainsRun = ({ command }: RunFile): boolean =>
  command?.name.startsWith('domains') ?? false
