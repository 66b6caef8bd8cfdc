// The published description, and the two differences that a variant makes around the API.
import { expect, test } from 'vitest'
import type { Variant } from './compose.ts'
import { startReference } from './start.ts'

const key = 'a-key-of-the-description'

const withServer = async (
  variant: Variant,
  ask: (server: { url: string; descriptionUrl: string }) => Promise<void>,
): Promise<void> => {
  const server = await startReference({
    keys: [{ plan: 'free', key }],
    store: 'memory',
    port: 0,
    variant,
    onFault: (fault) => {
      throw fault
    },
  })
  try {
    await ask(server)
  } finally {
    await server.close()
  }
}

test('the description is published without a key, outside the API', () =>
  withServer({}, async ({ descriptionUrl, url }) => {
    const answer = await fetch(descriptionUrl)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
    expect(descriptionUrl.startsWith(url)).toBe(false)
  }))

test('a variant publishes another description', () =>
  withServer({ description: () => ({ openapi: '3.1.0' }) }, async ({ descriptionUrl }) => {
    expect(await (await fetch(descriptionUrl)).json()).toEqual({ openapi: '3.1.0' })
  }))

test('a variant has another base address', () =>
  withServer({ basePath: '/v7' }, async ({ url }) => {
    expect(new URL(url).pathname).toBe('/v7')
  }))

test('a body may be written in another encoding', () => {
  const variant: Variant = {
    handle: () => () => ({ status: 200, headers: {}, body: 'ü', encoding: 'latin1' }),
  }
  return withServer(variant, async ({ url }) => {
    const answer = await fetch(`${url}/pets`)
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0xfc])
  })
})
