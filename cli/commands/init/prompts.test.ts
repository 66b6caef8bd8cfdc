// Prompts and lines: typed ahead, cancelled, and never typed.
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { UsageError } from '../../usage-error.ts'
import { Cancelled, openPrompts } from './prompts.ts'

const opened = (isTerminal: boolean, patienceMs = 10_000) => {
  const input = new PassThrough()
  const output = new PassThrough()
  const prompts = openPrompts({ input, output, isTerminal, patienceMs })
  onTestFinished(prompts.close)
  return { input, ask: prompts.ask, said: () => String(output.read() ?? '') }
}

describe.for([
  ['a terminal', true],
  ['a pipe', false],
] as const)('at %s', ([, isTerminal]) => {
  test('lines that come at once answer one prompt each', async () => {
    const { input, ask, said } = opened(isTerminal)
    const first = ask('One', 'usual')
    input.write('a\nb\n\nd\n')
    const rest = [await first, await ask('Two', ''), await ask('Three', ''), await ask('Four', '')]
    expect(rest).toEqual(['a', 'b', '', 'd'])
    expect(said()).toContain('Two: b\n')
  })

  test('lines that come before their prompt are kept', async () => {
    const { input, ask } = opened(isTerminal)
    input.write('a\nb\n')
    await new Promise(setImmediate)
    expect([await ask('One', ''), await ask('Two', '')]).toEqual(['a', 'b'])
  })
})

test('the end of a pipe leaves the defaults', async () => {
  const { input, ask } = opened(false)
  input.end('a\n')
  expect([await ask('One', ''), await ask('Two', 'x'), await ask('Three', 'y')]).toEqual([
    'a',
    '',
    '',
  ])
})

test('a silent pipe is not waited for', async () => {
  const { ask } = opened(false, 1)
  await expect(ask('One', '')).rejects.toThrow(UsageError)
})

test.for([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s at a terminal cancels, whatever was typed ahead', async ([, key = '']) => {
  const { input, ask } = opened(true)
  const first = ask('One', '')
  input.write(`a\n${key}`)
  expect(await first).toBe('a')
  await expect(ask('Two', '')).rejects.toThrow(Cancelled)
})
