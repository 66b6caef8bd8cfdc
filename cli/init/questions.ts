// Questions at a terminal or to a pipe, in lines: what was typed ahead of its question counts too.
import { createInterface } from 'node:readline'
import { visible } from '../../reports/visible.ts'
import { UsageError } from '../usage-error.ts'
import type { Ask } from './answers.ts'

/** Ctrl-C, or the end of what is typed. */
export class NoAnswer extends Error {}

export interface Questions {
  readonly ask: Ask
  readonly close: () => void
}

interface Channel {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** Somebody types there, who may think as long as it takes. */
  readonly isTerminal: boolean
  /** How long a pipe may keep silent, in milliseconds. */
  readonly patienceMs: number
}

/** More lines than there are questions, and some. */
const aheadMost = 100

/**
 * A pipe that ends leaves the usual answers; at a terminal that is a wish to stop.
 * @throws NoAnswer at a terminal; UsageError where a pipe keeps silent
 */
export const openQuestions = (channel: Channel): Questions => {
  const { input, output, isTerminal } = channel
  const reader = createInterface({ input, terminal: isTerminal, ...(isTerminal && { output }) })
  const ahead: string[] = []
  let waiting: ((line: string | null) => void) | undefined
  let hasEnded = false
  reader.on('line', (line) => {
    const told = waiting
    // The next line may come before whoever waited has gone on.
    waiting = undefined
    if (told) told(line)
    else if (ahead.length < aheadMost) ahead.push(line)
  })
  reader.on('SIGINT', () => {
    ahead.length = 0
    reader.close()
  })
  reader.on('close', () => {
    hasEnded = true
    waiting?.(null)
  })

  const next = async (): Promise<string | null> => {
    const line = ahead.shift()
    if (line !== undefined || hasEnded) return line ?? null
    const { promise, resolve, reject } = Promise.withResolvers<string | null>()
    waiting = resolve
    const silent = () => reject(new UsageError(silence(channel)))
    const timer = isTerminal ? undefined : setTimeout(silent, channel.patienceMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      waiting = undefined
    }
  }

  const ask: Ask = async (question, usual) => {
    const text = `${question}${usual === '' ? '' : ` [${usual}]`}: `
    const isTyped = isTerminal && !hasEnded && ahead.length === 0
    if (isTyped) {
      reader.setPrompt(text)
      reader.prompt()
    }
    const line = await next()
    if (line === null && isTerminal) throw new NoAnswer()
    // What was not typed behind its question is shown there.
    if (!isTyped) output.write(`${text}${visible(line ?? '')}\n`)
    return line ?? ''
  }
  return { ask, close: () => reader.close() }
}

const silence = ({ patienceMs }: Channel): string =>
  `no answer came for ${patienceMs / 1_000} s: give flags (petvet init --help), or end the input`
