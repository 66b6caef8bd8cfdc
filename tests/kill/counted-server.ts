// The reference in a process of its own, which counts requests, and kills a process that calls it
// at a given moment: started with `fork`, controlled by messages.
import { servers } from '../../proof/subjects.ts'
import { startReference } from '../../reference/start.ts'
import type { Variant } from '../../reference/variant.ts'
import { type Counts, keys, type Order, type Ready } from './orders.ts'

let order: Order | undefined
let all = 0
const byKey = keys.map(() => 0)

const kill = ({ pid, signal }: Order) => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

const counted = ({ handle, ...variant }: Variant): Variant => ({
  ...variant,
  handle: (honest, parts) => {
    const inner = handle?.(honest, parts) ?? honest
    return async (request) => {
      all += 1
      const place = keys.findIndex(({ key }) => request.header('authorization') === `Bearer ${key}`)
      if (place >= 0) byKey[place] = (byKey[place] ?? 0) + 1
      const due = order && all === order.at ? order : undefined
      if (due?.afterMs === null) kill(due)
      const response = await inner(request)
      if (due && due.afterMs !== null) setTimeout(() => kill(due), due.afterMs)
      return response
    }
  },
})

const start = async (mutant: string | undefined, hasClock: boolean): Promise<void> => {
  const variant = servers.find(({ id }) => id === mutant)?.variant ?? {}
  const { url, clockUrl } = await startReference({
    keys,
    ...(hasClock && { clockPort: 0 }),
    variant: counted(variant),
  })
  process.send?.({ url, clockUrl: clockUrl ?? null } satisfies Ready)
}

if (process.send) {
  const [mutant, clock] = process.argv.slice(2)
  process.on('message', (message: Order | 'counts') => {
    if (message !== 'counts') order = { ...message, at: all + message.at }
    process.send?.({ all, byKey } satisfies Counts)
  })
  process.on('disconnect', () => process.exit(0))
  await start(mutant === 'none' ? undefined : mutant, clock === 'clock')
}
