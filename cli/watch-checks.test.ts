// The events that begin and end the rounds of a watch: the latest one wins.
import { expect, test } from 'vitest'
import { WatchEvents } from './watch-checks.ts'

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
