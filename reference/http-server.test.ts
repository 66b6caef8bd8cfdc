// The socket, by hand: invalid HTTP gets a response, in order, and a close loses nothing.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Served, serve, usualLimits } from './http-server.ts'
import { type ApiResponse, ConnectionLost, type Handle } from './message.ts'

const limits = { ...usualLimits, bodyBytes: 1_000, headerBytes: 4_096 }
const faults: unknown[] = []
let served: Served | undefined
afterEach(async () => {
  await served?.close()
  faults.length = 0
})

const answerWith = (status: number, body: string): ApiResponse => ({ status, headers: {}, body })
const refuse = (status: number, code: string) => answerWith(status, code)
const echo: Handle = ({ method, target, body, header }) =>
  answerWith(200, `${method} ${target} ${body.length} ${header('authorization')} é`)

const open = async (handle: Handle): Promise<Socket> => {
  const onFault = (fault: unknown) => faults.push(fault)
  served = await serve({ handle, refuse, onFault, host: '127.0.0.1', port: 0, limits })
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
  socket.on('error', () => {})
  return socket
}

/** All that comes back until the server ends the connection. */
const everything = async (socket: Socket): Promise<string> => {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

const exchange = async (handle: Handle, sent: string): Promise<string> => {
  const socket = await open(handle)
  socket.write(sent)
  return everything(socket)
}
const last = 'Host: x\r\nConnection: close\r\n'
const statuses = (text: string) => text.match(/(?<=HTTP\/1\.1 )\d+/g)

describe('what is not valid HTTP', () => {
  test.each([
    ['garbage', 'garbage\r\n\r\n', '400'],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${last}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`,
      '400',
    ],
    ['a header without end', `GET / HTTP/1.1\r\nA: ${'x'.repeat(9_000)}`, '431'],
    ['a proxy request', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', '405'],
  ])('%s', async (_name, sent, status) => {
    expect(statuses(await exchange(echo, sent))).toEqual([status])
    expect(faults).toEqual([])
  })

  test('gets its response after those to earlier requests', async () => {
    const get = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n'
    const post = 'POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi'
    const text = await exchange(echo, `${get}${get}${post}garbage\r\n\r\n`)
    expect(statuses(text)).toEqual(['200', '200', '200', '400'])
    expect(text).toContain('POST /b 2')
  })
})

describe('bodies', () => {
  test('one over the limit is known at once, by its length or by counting', async () => {
    const tell: Handle = ({ body }) => answerWith(413, body === 'too-large' ? body : 'read')
    const declared = `POST / HTTP/1.1\r\n${last}Content-Length: 1001\r\n\r\n${'x'.repeat(1_001)}`
    expect(await exchange(tell, declared)).toContain('too-large')
    await served?.close()
    const chunk = `3e9\r\n${'x'.repeat(1_001)}\r\n0\r\n\r\n`
    const chunked = `POST / HTTP/1.1\r\n${last}Transfer-Encoding: chunked\r\n\r\n${chunk}`
    expect(await exchange(tell, chunked)).toContain('too-large')
  })

  test('the connection serves on after a body that was too large', async () => {
    const big = `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5_000)}`
    const text = await exchange(echo, `${big}GET /b HTTP/1.1\r\n${last}\r\n`)
    expect(statuses(text)).toEqual(['200', '200'])
  })

  test('one that stays short is never handed on', async () => {
    let handed = 0
    const socket = await open((request) => {
      handed++
      return echo(request)
    })
    socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nshort')
    await once(socket.resume(), 'close')
    expect(handed).toBe(0)
  })
})

test('a fault of ours is a 500, and is reported', async () => {
  const fault = new Error('ours')
  const throwing = () => {
    throw fault
  }
  for (const handle of [throwing, async () => throwing()]) {
    expect(statuses(await exchange(handle, `GET / HTTP/1.1\r\n${last}\r\n`))).toEqual(['500'])
    await served?.close()
  }
  expect(faults).toEqual([fault, fault])
})

test('a handler may close the connection in place of a response', async () => {
  const lost = () => Promise.reject(new ConnectionLost())
  expect(await exchange(lost, `GET / HTTP/1.1\r\n${last}\r\n`)).toBe('')
  expect(faults).toEqual([])
})

test('a close responds to what is in flight and ends idle connections', async () => {
  const entered = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<ApiResponse>()
  const idle = await open(() => {
    entered.resolve()
    return finished.promise
  })
  await once(idle, 'connect')
  const idleEnds = everything(idle)
  // Connections are accepted in their order, so the idle one is in when this one is heard.
  const socket = connect(Number(new URL(served?.url ?? '').port), '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await entered.promise
  const closed = served?.close()
  served = undefined
  expect(await idleEnds).toBe('')
  finished.resolve(answerWith(200, 'late'))
  const text = await everything(socket)
  expect(text).toContain('Connection: close')
  expect(text).toContain('late')
  await closed
})
