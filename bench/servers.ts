// One of the servers that are measured, in a process of its own, which sends its base URL.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { chances } from '../proof/virtual.ts'
import { startReference } from '../reference/start.ts'

const [name = '', key = ''] = process.argv.slice(2)

/** So many a minute that no request of a bench is refused. */
const quota = { perMinute: 10_000_000, perDay: 10_000_000 }

const reference = async (): Promise<string> => {
  const { url } = await startReference({ keys: [{ plan: 'enterprise', key, quota }] })
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  for (let made = 0; made < 20; made += 1) {
    const body = JSON.stringify({ name: `Animal ${made}`, categoryId: made })
    const { status } = await fetch(`${url}/pets`, { method: 'POST', headers, body })
    if (status !== 201) throw new Error(`the reference answered ${status} to a creation`)
  }
  return url
}

/** Bare node:http that sends exactly the bytes that the reference sends. */
const bare = async (): Promise<string> => {
  const url = await reference()
  const response = await fetch(`${url}/pets?limit=20`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const body = Buffer.from(await response.arrayBuffer())
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => !['connection', 'keep-alive', 'date'].includes(name)),
  )
  return listening((_request, response) => response.writeHead(200, headers).end(body))
}

/** @returns its base URL, on a port of its own */
const listening = async (respond: RequestListener): Promise<string> => {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return `http://127.0.0.1:${port}/v1`
}

/**
 * Delays each response by 40 to 80 ms, and some much longer, and records the time from a request's
 * arrival to its response.
 */
const delaying = (): Promise<string> => {
  const next = chances(7)
  let taken: number[] = []
  return listening((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/v1/delays') {
      const sorted = taken.sort((a, b) => a - b)
      const percents = (searchParams.get('percents') ?? '').split(',').map(Number)
      const at = (percent: number) => sorted[Math.ceil((percent * sorted.length) / 100) - 1]
      taken = []
      response.end(JSON.stringify(percents.map((percent) => at(percent) ?? null)))
      return
    }
    const startMs = performance.now()
    setTimeout(
      () => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]')
        taken.push(performance.now() - startMs)
      },
      40 + 40 * next() + (next() > 0.98 ? 150 * next() : 0),
    )
  })
}

const servers: Record<string, () => Promise<string>> = { reference, bare, delaying }

const start = servers[name]
process.send?.(await start?.())
