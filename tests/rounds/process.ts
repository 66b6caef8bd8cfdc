// A process of the rounds, as its parent sees it: one message at a time, and its memory.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Plan } from '../../spec/plans.ts'
import type { PlannedExperiment } from './held.ts'

export interface Key {
  readonly plan: Plan
  readonly key: string
  readonly perMinute?: number
  readonly perDay?: number
}

/** The options of a round. */
export interface Round {
  readonly seed: number
  readonly keys: readonly Key[]
  /** Whether the target offers a test clock; without one the run goes by real time. */
  readonly clock: boolean
  /** Globs of the checks; by default all. */
  readonly only: readonly string[]
  /** Whether another run follows that is left after some events. */
  readonly leaves: boolean
}

export interface Target {
  readonly url: string
  readonly clock: string | undefined
  readonly description: string
}

/** Messages to the server. */
export type ToServer = { readonly start: Round } | { readonly stop: true }

/** Messages to the vetting process. */
export interface ToVetter {
  readonly target: Target
  readonly round: Round
}

export interface Vetted {
  readonly verdict: string
  readonly requests: number
  /** A line for each check: its id and how it ended. */
  readonly outcomes: readonly string[]
  readonly held: PlannedExperiment
}

/** What the server is found to hold after a round. */
export interface Looked {
  readonly held: PlannedExperiment
}

export interface SendingCheck {
  readonly ask: <Answer>(check: ToServer | ToVetter) => Promise<Answer>
  /**
   * Disconnects from it; it has to end by itself within this time.
   * @returns its exit code, or null where it had to be killed
   */
  readonly end: (withinMs: number) => Promise<number | null>
}

export const startProcess = (name: 'server' | 'vetter'): SendingCheck => {
  const path = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const child = fork(path, [], { execArgv: ['--expose-gc'], env: { PATH: process.env.PATH } })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const ask = async <Answer>(check: ToServer | ToVetter): Promise<Answer> => {
    const answered = once(child, 'message').then(([response]) => response as Answer)
    child.send(check)
    const gone = ended.then((code): never => {
      throw new Error(`the ${name} ended with ${code}`)
    })
    return Promise.race([answered, gone])
  }
  return { ask, end: (withinMs) => endOf(child, ended, withinMs) }
}

const endOf = async (
  child: ChildProcess,
  ended: Promise<number | null>,
  withinMs: number,
): Promise<number | null> => {
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
  try {
    return await ended
  } finally {
    clearTimeout(timer)
  }
}
