// The events that begin and end the rounds of a watch: keys of the terminal; the latest event wins.
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { listenToKeys, WatchEvents } from './watch-checks.ts'

test.for([
  ['\r', ['Enter']],
  ['\n', ['Enter']],
  ['q', ['quit']],
  ['\u0004', ['quit']],
  ['\u0003', ['SIGINT']],
  ['x', []],
  ['\u001b[A', []],
] as const)('the key %j', ([key, expected]) => {
  const received: string[] = []
  const onSignal = () => received.push('SIGINT')
  process.once('SIGINT', onSignal)
  onTestFinished(() => {
    process.off('SIGINT', onSignal)
  })
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => {
      modes.push(isRaw)
      return input
    },
  }) as unknown as typeof process.stdin
  const release = listenToKeys(input, (event) => received.push(event))
  input.emit('data', Buffer.from(key))
  release()
  input.emit('data', Buffer.from(key))
  expect([received, modes]).toEqual([expected, [true, false]])
})

test('an event ends the round in progress, and the latest one counts', async () => {
  const events = new WatchEvents()
  events.put('the first one')
  expect(await events.next()).toBe('the first one')
  const round = events.arrival.signal
  expect(round.aborted).toBe(false)
  events.put('away')
  events.put('the server came back')
  expect(round.aborted).toBe(true)
  expect(await events.next()).toBe('the server came back')
  const waiting = events.next()
  events.put('quit')
  expect(await waiting).toBe('quit')
  events.put('Enter')
  expect(await events.next()).toBe('quit')
})
