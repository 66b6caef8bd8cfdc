// The servers of the command: what they print when they are ready, and that a signal ends them.
import { expect, test } from 'vitest'
import { serveWith } from '../raw-server.ts'
import { emptyFolder, petvet, start, startServe } from './petvet.ts'

test('serve prints its addresses and keys, begins with small ids, and ends cleanly', async () => {
  const keys = ['free=key-one', 'pro=key-two']
  const server = await startServe(emptyFolder(), keys, '--first-id', '7')
  const { url, clock } = server
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  expect(clock).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/clock$/)
  const printed = /petvet: key free key-one\npetvet: key pro key-two\n/
  expect(await server.printed(printed)).toMatch(printed)
  const headers = { authorization: 'Bearer key-two', 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const create = () => fetch(`${url}/pets`, { method: 'POST', headers, body })
  const pets = [await (await create()).json(), await (await create()).json()]
  // For a client without int64.
  expect(pets).toMatchObject([{ id: 7 }, { id: 8 }])
  expect((await fetch(clock)).status).toBe(200)
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
