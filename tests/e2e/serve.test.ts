// The servers of the command: what they print when they are ready, and that a signal ends them.
import { expect, test } from 'vitest'
import { serveWith } from '../raw-server.ts'
import { emptyFolder, petvet, start } from './petvet.ts'

test('serve prints its addresses and keys, and ends cleanly', async () => {
  const args = ['serve', '--port', '0', '--clock', '--keys', 'free=key-one,pro=key-two']
  const server = start(args, { folder: emptyFolder() })
  const printed = await server.printed(/key pro key-two\n/)
  const [, url = ''] = /^petvet: api (http:\/\/127\.0\.0\.1:\d+\/v1)$/m.exec(printed) ?? []
  const [, clock = ''] = /^petvet: clock (http:\/\/127\.0\.0\.1:\d+\/clock)$/m.exec(printed) ?? []
  expect(printed).toContain('petvet: key free key-one\n')
  const list = await fetch(`${url}/pets`, { headers: { authorization: 'Bearer key-two' } })
  expect([list.status, (await fetch(clock)).status]).toEqual([200, 200])
  server.interrupt('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
})

test.for(['serve', 'mock'])('a port in use is reported in one line by %s', async (command) => {
  const { port } = new URL(await serveWith((_request, response) => response.end()))
  const second = await petvet([command, '--port', port], { folder: emptyFolder() })
  expect(second).toMatchObject({
    code: 2,
    stderr: `petvet: port ${port} is in use: choose another, or 0 for any\n`,
  })
})

test('mock serves the document', async () => {
  const server = start(['mock', '--port', '0'], { folder: emptyFolder() })
  const [, url = ''] = /^petvet: api (\S+)$/m.exec(await server.printed(/api .*\n/)) ?? []
  const list = await fetch(`${url}/pets`, { headers: { authorization: 'Bearer any' } })
  expect(list.status).toBe(200)
  server.interrupt('SIGINT')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
})

test.for([
  ['free=abcd=e', 'the free key of --keys is no bearer token'],
  ['free=key-one,pro=key-one', 'the same key is given twice'],
] as const)('serve --keys %s is wrong usage', async ([keys, why]) => {
  const { code, stderr } = await petvet(['serve', '--keys', keys], { folder: emptyFolder() })
  expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
  expect(stderr).toContain(why)
})
