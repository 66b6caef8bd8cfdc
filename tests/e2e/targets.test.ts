// Targets on which a run cannot start or finish: one clear line, and the right exit code.
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startReference } from '../../reference/start.ts'
import { serveClock } from '../clock-server.ts'
import { allText, emptyFolder, petvet, readRunFile, serveWith, start } from './petvet.ts'

const key = 'sesame-0123456789'

const check = (baseUrl: string, folder: string, ...more: string[]) =>
  petvet(['check', baseUrl, '--key', 'free=$PET_KEY', '--out', 'run', ...more], {
    folder,
    env: { PET_KEY: key },
  })

const reference = async (keys: Parameters<typeof startReference>[0]['keys']) => {
  const server = await startReference({
    keys,
    store: 'memory',
    port: 0,
    clockPort: 0,
    onFault: () => {},
  })
  onTestFinished(server.close)
  return server
}

const rawServer = async (bytes: string | null): Promise<string> => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => {
      if (bytes !== null) socket.end(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  const { port } = server.address() as { port: number }
  return `http://127.0.0.1:${port}/v1`
}

describe('no run can start with', () => {
  const expectImpossible = async (baseUrl: string) => {
    const folder = emptyFolder()
    const { code, stdout } = await check(baseUrl, folder, '--timeout', '0.5')
    expect(stdout).toContain('petvet: could not run')
    expect(code).toBe(3)
    const run = readRunFile(join(folder, 'run'))
    expect(run.impossible).toMatch(/\S/)
    expect(run.impossible).not.toContain('\n')
    expect(allText(folder)).not.toContain(key)
  }

  test('a closed port', async () => {
    const origin = await serveWith(() => {})
    await expectImpossible(origin.replace(/:\d+$/, ':1'))
  })

  test('a server that never responds', async () => {
    await expectImpossible(await rawServer(null))
  })

  test('garbage', async () => {
    await expectImpossible(await rawServer('garbage\r\n\r\n'))
  })

  test('a base URL without its prefix', async () => {
    const { url } = await reference([{ plan: 'free', key }])
    await expectImpossible(url.replace('/v1', ''))
  })

  test('a redirect to another host', async () => {
    const headers = { location: 'http://elsewhere.test/v1/pets' }
    const origin = await serveWith((_request, response) => response.writeHead(302, headers).end())
    await expectImpossible(`${origin}/v1`)
  })

  test('a key that is refused', async () => {
    const { url } = await reference([{ plan: 'free', key: 'another-key' }])
    await expectImpossible(url)
  })
})

test('a redirect to another path is a fail, and that host sees nothing', async () => {
  let unauthenticated = 0
  const elsewhere = await serveWith((_request, response) => {
    unauthenticated++
    response.end('[]')
  })
  const origin = await serveWith((_request, response) => {
    response.writeHead(302, { location: `${elsewhere}/login` }).end()
  })
  const folder = emptyFolder()
  const { code, stdout } = await check(`${origin}/v1`, folder)
  expect(stdout).toContain('redirects are never followed')
  expect([code, unauthenticated]).toEqual([1, 0])
  expect(allText(folder)).not.toContain(key)
})

test('a test clock that fails ends the run with one line that names it', async () => {
  const { url } = await reference([{ plan: 'free', key }])
  const failing = { status: 500, headers: {}, body: 'no' }
  const clock = await serveClock((method, respond) => (method === 'POST' ? failing : respond()))
  onTestFinished(clock.close)
  const folder = emptyFolder()
  const only = ['--only', 'get-last-evening-200', '--only', 'list-sound-200']
  const { code, stdout, stderr } = await check(url, folder, '--clock', clock.url, ...only)
  expect(stdout).toContain(`petvet: could not run, the test clock ${clock.url} answered 500 to `)
  expect(code).toBe(3)
  expect(stdout + stderr + allText(folder)).not.toContain('file://')
  expect(JSON.stringify(readRunFile(join(folder, 'run')).checks)).not.toContain('"error"')
})

test('a valid target is conformant, and its key is in no file', async () => {
  const { url, clockUrl = '' } = await reference([{ plan: 'free', key }])
  const folder = emptyFolder()
  const { code, stdout, stderr } = await check(
    url,
    folder,
    '--clock',
    clockUrl,
    '--json',
    '--report',
    'junit',
  )
  expect([code, JSON.parse(stdout).verdict]).toEqual([0, 'conformant'])
  expect(stderr).toMatch(/^petvet: target \S+\/v1\npetvet: seed \d+\n$/)
  const run = join(folder, 'run')
  expect(readRunFile(run)).toEqual(JSON.parse(stdout))
  expect(stdout + stderr + allText(run)).not.toContain(key)
  const terminal = await petvet(['report', 'run'], { folder })
  expect(terminal.stdout).toMatch(/petvet: (?:conformant|no violations found)/)
})

test('Ctrl-C ends with the report of what was done', async () => {
  let stop = () => {}
  let served = 0
  const origin = await serveWith((_request, response) => {
    served++
    if (served === 3) stop()
    response.setHeader('content-type', 'application/json')
    if (served < 3) response.end('[]')
  })
  const folder = emptyFolder()
  const args = ['check', `${origin}/v1`, '--key', `free=${key}`, '--out', 'run', '--timeout', '1']
  const started = start(args, { folder })
  stop = () => started.interrupt('SIGINT')
  const { code, stdout } = await started.ended
  expect(stdout).toContain('petvet: interrupted')
  expect(code).toBe(130)
  expect(readRunFile(join(folder, 'run')).interrupted).toBe(true)
  const again = await petvet(['report', 'run', '--as', 'junit'], { folder })
  expect([again.code, again.stderr]).toEqual([0, ''])
})
