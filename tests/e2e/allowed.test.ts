// A server whose address is not loopback gets reads only, unless --allow permits more.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { vet } from '../../index.ts'
import { startReference } from '../../reference/start.ts'
import { emptyFolder, petvet, readRunFile } from './petvet.ts'

const key = 'petvet-test-key-allowed'

interface ReceivedRequest {
  readonly method: string
  readonly status: number
}

/** The reference behind a proxy that records the requests; 0.0.0.0 is no loopback address. */
const recording = async () => {
  const reference = await startReference({
    keys: [{ plan: 'free', key }],
    store: 'memory',
    port: 0,
    onFault: () => {},
  })
  const inner = new URL(reference.url).origin
  const heard: ReceivedRequest[] = []
  let connections = 0
  const pass = async (incoming: IncomingMessage, response: ServerResponse) => {
    const method = incoming.method ?? ''
    const hasBody = !['GET', 'HEAD'].includes(method)
    const received = await fetch(`${inner}${incoming.url}`, {
      method,
      headers: Object.entries(incoming.headers).flatMap(([name, value]) =>
        ['connection', 'host', 'transfer-encoding'].includes(name) ? [] : [[name, String(value)]],
      ) as [string, string][],
      ...(hasBody && { body: Buffer.concat(await incoming.toArray()) }),
    })
    heard.push({ method, status: received.status })
    const headers = Object.fromEntries(received.headers)
    response.writeHead(received.status, { ...headers, connection: 'keep-alive' })
    response.end(Buffer.from(await received.arrayBuffer()))
  }
  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await reference.close()
  })
  const { port } = server.address() as AddressInfo
  const elsewhere = `http://0.0.0.0:${port}/v1`
  const here = `http://127.0.0.1:${port}/v1`
  return { elsewhere, here, heard, connections: () => connections }
}

const methodsOf = (heard: readonly ReceivedRequest[]) => new Set(heard.map(({ method }) => method))
const reads = ['GET', 'HEAD', 'OPTIONS']
const isRead = ({ method }: ReceivedRequest) => reads.includes(method)

test('off loopback a check only reads; with --allow write it creates', async () => {
  const { elsewhere, heard } = await recording()
  const folder = emptyFolder()
  const args = ['check', elsewhere, '--key', `free=${key}`, '--skip', 'limits*', '--seed', '7']
  const { code } = await petvet([...args, '--skip', 'list*', '--out', 'run'], { folder })
  expect(code).toBe(0)
  expect(heard.length).toBeGreaterThan(40)
  expect(heard.filter((each) => !isRead(each))).toEqual([])
  expect(heard.filter(({ status }) => status === 429)).toEqual([])
  const run = readRunFile(join(folder, 'run'))
  expect(run.requests).toBe(heard.length)
  const untested = run.checks.filter(({ because }: { because: string }) => because === 'permission')
  expect(untested.length).toBeGreaterThan(50)

  const only = ['--only', 'create-sound-201', '--allow', 'write', '--out', 'more']
  await petvet([...args.slice(0, 4), ...only], { folder })
  expect(methodsOf(heard)).toContain('POST')
})

test('off loopback a load exhausts nothing without --allow exhaust', async () => {
  const { elsewhere, heard } = await recording()
  const args = ['load', elsewhere, '--key', `free=${key}`, '--no-mock', '--no-reference']
  const { stdout } = await petvet([...args, '--scenario', 'burst', '--scenario', 'ban'], {
    folder: emptyFolder(),
  })
  expect(stdout).toContain('--allow')
  expect(heard.filter((each) => !isRead(each))).toEqual([])
  expect(heard.length).toBeLessThan(5)
})

test('the same holds for a program', async () => {
  const { elsewhere, heard } = await recording()
  const run = await vet({
    target: elsewhere,
    keys: [{ plan: 'free', key }],
    only: ['create*', 'auth-first*'],
  }).run
  expect(run.requests).toBe(heard.length)
  expect(heard.filter((each) => !isRead(each))).toEqual([])
})

test('a plan sends nothing, and does not even connect', async () => {
  const { elsewhere, here, connections } = await recording()
  for (const target of [elsewhere, here]) {
    const args = ['plan', target, '--key', `free=${key}`, '--clock', `${target}/clock`]
    const { code } = await petvet(args, { folder: emptyFolder() })
    expect(code).toBe(0)
  }
  expect(connections()).toBe(0)
})

test.each([1, 30])('at most %i requests reach the socket, and the run says so', async (most) => {
  const { here, heard } = await recording()
  const folder = emptyFolder()
  const args = [
    'check',
    here,
    '--key',
    `free=${key}`,
    '--max-requests',
    String(most),
    '--only',
    'list',
  ]
  const { code, stdout } = await petvet([...args, '--out', 'run'], { folder })
  expect(heard.length).toBe(most)
  expect([code, readRunFile(join(folder, 'run')).requests]).toEqual([4, most])
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/are spent.*--max-requests \d+/)
})
