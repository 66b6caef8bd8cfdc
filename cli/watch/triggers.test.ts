// What begins a round: the port of a server that was away, and keys.
import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listenToKeys, type Press } from './keyboard.ts'
import { type PortState, placeOf, probePort, watchPort } from './port.ts'
import { createWishes } from './wishes.ts'

describe('a port', () => {
  const listening = async () => {
    let heard = 0
    const server = createServer((socket) => {
      socket.on('data', ({ length }) => {
        heard += length
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    return { server, place: { host: '127.0.0.1', port }, heard: () => heard }
  }

  test('is open where somebody listens, who is sent nothing', async () => {
    const { server, place, heard } = await listening()
    expect(await probePort(place)).toBe('open')
    await new Promise((resolve) => server.close(resolve))
    expect([await probePort(place), heard()]).toEqual(['closed', 0])
  })

  test.for([
    ['http://127.0.0.1:8080/v1', '127.0.0.1', 8080],
    ['https://[::1]/v1', '::1', 443],
    ['http://api.example.com/v1', 'api.example.com', 80],
  ] as const)('of %s', ([url, host, port]) => {
    expect(placeOf(url)).toEqual({ host, port })
  })

  test('turns when it closes and opens, and at nothing that is unknown', async () => {
    const found: PortState[] = ['unknown', 'open', 'open', 'unknown', 'closed', 'unknown', 'open']
    const turns: string[] = []
    let at = 0
    const probe = () => Promise.resolve(found[Math.min(at++, found.length - 1)] ?? 'unknown')
    const watch = watchPort(probe, 0, (state) => turns.push(state))
    onTestFinished(watch.close)
    await vi.waitFor(() => expect(at).toBeGreaterThan(found.length))
    expect(turns).toEqual(['open', 'closed', 'open'])
  })

  test('is asked no more once the watch is over, not even by a probe under way', async () => {
    const turns: string[] = []
    const { promise, resolve } = Promise.withResolvers<PortState>()
    const probe = vi.fn(() => promise)
    watchPort(probe, 0, (state) => turns.push(state)).close()
    resolve('open')
    await new Promise((done) => setTimeout(done, 5))
    expect([turns, probe.mock.calls.length]).toEqual([[], 1])
  })
})

test('keys are told, one for each chunk, and what means nothing is passed over', async () => {
  const input = Object.assign(new PassThrough(), { setRawMode: vi.fn() })
  const pressed: Press[] = []
  const letGo = listenToKeys(input, (press) => pressed.push(press))
  for (const text of ['\r', 'A', 'f', 'x', '\u001b[A', '?', '\u0003', 'aaaaaaaa', 'q']) {
    input.write(text)
    await new Promise(setImmediate)
  }
  letGo()
  input.write('a')
  await new Promise(setImmediate)
  expect(pressed).toEqual(['again', 'all', 'failed', 'help', 'interrupt', 'all', 'quit'])
  expect(input.setRawMode.mock.calls).toEqual([[true], [false]])
})

test('a terminal that goes away ends the watch', async () => {
  const input = new PassThrough()
  const pressed: Press[] = []
  onTestFinished(listenToKeys(input, (press) => pressed.push(press)))
  input.end()
  await vi.waitFor(() => expect(pressed).toEqual(['quit']))
})

describe('of wishes', () => {
  const round = { kind: 'round', scope: 'all', why: 'a' } as const

  test('the latest stands, and is taken once', async () => {
    const wishes = createWishes()
    wishes.put({ kind: 'away' })
    wishes.put(round)
    expect(await wishes.next()).toEqual(round)
    const next = wishes.next()
    wishes.put({ kind: 'away' })
    expect(await next).toEqual({ kind: 'away' })
  })

  test('none comes after the one to quit', async () => {
    const wishes = createWishes()
    wishes.put({ kind: 'quit' })
    wishes.put(round)
    expect([await wishes.next(), wishes.isEnding()]).toEqual([{ kind: 'quit' }, true])
  })

  test('whoever waits for the next hears of one that is there', () => {
    const wishes = createWishes()
    wishes.put(round)
    const heard = vi.fn()
    wishes.atNext(heard)
    wishes.put({ kind: 'away' })
    expect(heard.mock.calls).toEqual([[round], [{ kind: 'away' }]])
  })
})
