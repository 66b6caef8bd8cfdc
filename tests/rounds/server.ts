// The process of the reference: a new one for each round, started and stopped by messages.
import { type Reference, startReference } from '../../reference/start.ts'
import { heldNow } from './held-resources.ts'
import type { Round, Target, ToServer } from './messages.ts'

let server: Reference | undefined

const start = async ({ keys, clock }: Round): Promise<Target> => {
  server = await startReference({
    keys,
    ...(clock && { clockPort: 0 }),
  })
  return { url: server.url, clock: server.clockUrl, description: server.descriptionUrl }
}

process.on('message', async (message: ToServer) => {
  if ('start' in message) {
    process.send?.(await start(message.start))
    return
  }
  await server?.close()
  server = undefined
  process.send?.(await heldNow())
})
