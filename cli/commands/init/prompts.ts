// Prompts at a terminal or from a pipe, line by line: lines typed ahead of a prompt count too.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { visible } from '../../../reports/visible.ts'
import { UsageError } from '../../usage-error.ts'

/** Ctrl-C, or the end of the input at a terminal. */
export class Cancelled extends Error {}

/** @returns the line that was typed; an empty one means the default */
export type Ask = (question: string, byDefault: string) => Promise<string>

interface Channel {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** Somebody types there, and may take any time. */
  readonly isTerminal: boolean
  /** How long a pipe may be silent, in milliseconds. */
  readonly patienceMs: number
}

/** More than there are prompts. */
const maxLinesAhead = 100

/**
 * A pipe that ends leaves the defaults.
 * @throws Cancelled at a terminal; UsageError where a pipe is silent
 */
export const openPrompts = ({ input, output, isTerminal, patienceMs }: Channel) => {
  const reader = createInterface({ input, terminal: isTerminal, ...(isTerminal && { output }) })
  const ahead: string[] = []
  let isCancelled = false
  let isClosed = false
  reader.on('line', (line) => {
    if (ahead.length < maxLinesAhead) ahead.push(line)
  })
  reader.on('SIGINT', () => {
    isCancelled = true
    reader.close()
  })
  reader.on('close', () => {
    isClosed = true
  })

  const untilLine = async (): Promise<void> => {
    const waiting = new AbortController()
    const ended = [once(reader, 'line', waiting), once(reader, 'close', waiting)]
    const silent = isTerminal ? [] : [sleep(patienceMs, 'silent' as const, waiting)]
    try {
      if ((await Promise.race([...ended, ...silent])) !== 'silent') return
    } finally {
      waiting.abort()
    }
    const remedy = 'give flags (petvet init --help), or end the input'
    throw new UsageError(`no input for ${patienceMs / 1_000} s: ${remedy}`)
  }

  const ask: Ask = async (question, byDefault) => {
    if (isCancelled) throw new Cancelled()
    const prompt = promptOf(question, byDefault)
    const isWaiting = ahead.length === 0 && !isClosed
    const isPrompted = isWaiting && isTerminal
    if (isPrompted) {
      reader.setPrompt(prompt)
      reader.prompt()
    }
    if (isWaiting) await untilLine()
    const line = ahead.shift()
    if (line === undefined && isTerminal) throw new Cancelled()
    // A line that was not typed at its prompt is shown there.
    if (!isPrompted) output.write(`${prompt}${visible(line ?? '')}\n`)
    return line ?? ''
  }
  return { ask, close: () => reader.close() }
}

const promptOf = (question: string, byDefault: string): string =>
  `${question}${byDefault === '' ? '' : ` [${byDefault}]`}: `
