// What Prism would not survive by itself.
import { expect, test } from 'vitest'
import { startPrism } from './prism.ts'

test.for(['%zz', '%ff'])('a path with %s is answered, and the mock goes on', async (text) => {
  const mock = await startPrism(0)
  try {
    const headers = { Authorization: 'Bearer any' }
    const broken = await fetch(`${mock.url}/pets/${text}`, { headers })
    expect(broken.status).toBe(422)
    const sound = await fetch(`${mock.url}/pets/1`, { headers })
    expect(sound.status).toBe(200)
  } finally {
    await mock.close()
  }
})

test.for(['Rex', '{"name":"Rex",}', ' '])(
  'a body of %j is answered, and the mock goes on',
  {
    timeout: 10_000,
  },
  async (body) => {
    const mock = await startPrism(0)
    try {
      const headers = { Authorization: 'Bearer any', 'Content-Type': 'application/json' }
      const created = (text: string) =>
        fetch(`${mock.url}/pets`, { method: 'POST', headers, body: text })
      expect((await created(body)).status).toBe(400)
      expect((await created('{"name":"Rex","categoryId":1}')).status).toBe(201)
    } finally {
      await mock.close()
    }
  },
)
