// The server as a whole, over its sockets: its addresses, its clock, its store.
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startReference } from './start.ts'

const keys = [{ plan: 'free' as const, key: 'k' }]
const onFault = (fault: unknown) => {
  throw fault
}
const call = (url: string, method: string, body: string) =>
  new Promise<{ status: number | undefined; text: string; date: string | undefined }>(
    (resolve, reject) => {
      const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
      const sent = request(url, { method, headers, agent: false }, async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode, text, date: response.headers.date })
      })
      sent.on('error', reject)
      sent.end(body)
    },
  )

test('the API and its clock stand on two ports, and go by one time', async () => {
  const server = await startReference({ keys, store: 'memory', port: 0, clockPort: 0, onFault })
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
  const made = await call(`${server.url}/pets`, 'POST', '{"name":"n","categoryId":1}')
  expect(made).toMatchObject({ status: 201 })
  const moved = await call(server.clockUrl ?? '', 'POST', '{"set":"2030-12-06T00:00:00Z"}')
  expect(moved.status).toBe(200)
  const gone = await call(`${server.url}/pets/9007199254740993`, 'GET', '')
  expect(gone).toMatchObject({ status: 410, date: expect.stringContaining('06 Dec 2030') })
  await server.close()
  await expect(call(`${server.url}/pets`, 'GET', '')).rejects.toThrow('ECONNREFUSED')
})

test('without a clock port there is no clock to move', async () => {
  const server = await startReference({ keys, store: 'memory', port: 0, onFault })
  expect(server.clockUrl).toBeUndefined()
  await server.close()
})

test('a port that is taken is an error at the start', async () => {
  const server = await startReference({ keys, store: 'memory', port: 0, onFault })
  const port = Number(new URL(server.url).port)
  await expect(startReference({ keys, store: 'memory', port, onFault })).rejects.toThrow(
    'EADDRINUSE',
  )
  await expect(
    startReference({ keys, store: 'memory', port: 0, clockPort: port, onFault }),
  ).rejects.toThrow('EADDRINUSE')
  await server.close()
})
