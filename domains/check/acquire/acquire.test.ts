// What a check sends: few requests, only GET and HEAD, and only to addresses of the platform.
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  goodRecords,
  host,
  makeFacts,
  makeTable,
  platformAddress,
  platformHost,
  platformRecord,
  siteHost,
} from '../../../tests/fakes/fake-domain-facts.ts'
import { opened, serveBytes } from '../../../tests/raw-server.ts'
import {
  platformHost as demoPlatform,
  type PublishingVariant,
  primary,
  redirects,
  startDemo,
} from '../../demo/start-demo.ts'
import { record } from '../../demo/zones.ts'
import { instead } from '../../faults/changes.ts'
import { acquire, plannedOrders } from './acquire.ts'

const foreign = '203.0.113.9'

const ordersFor = (records: Parameters<typeof makeTable>[0], more: object = {}) => {
  const config = { primary: host, redirects: [] }
  const { settings } = makeFacts([], [], more)
  return plannedOrders({ settings, config }, [makeTable(records)])
}

describe('orders', () => {
  test.for(['A 203.0.113.9', 'AAAA 2001:db8::9'])('go to the platform, wherever %s', (data) => {
    const orders = ordersFor([platformRecord, record(`${host} ${data}`)])
    expect(new Set(orders.map(({ address }) => address))).toEqual(new Set([platformAddress]))
  })

  test('do not follow the subdomain out of the platform', () => {
    const site = siteHost
    const there = ordersFor([...goodRecords, record(`${site} A ${platformAddress}`)], { site })
    const away = ordersFor([...goodRecords, record(`${site} A ${foreign}`)], { site })
    expect(there.filter((order) => order.host === site)).toHaveLength(1)
    expect(away.filter((order) => order.host === site)).toHaveLength(0)
  })

  test('are none if the platform host has no address', () => {
    expect(ordersFor([])).toEqual([])
    expect(ordersFor([], { platformAddresses: ['192.0.2.7'] })).not.toEqual([])
  })

  test('are few for a platform of many addresses', () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      record(`${platformHost} A 198.51.100.${index}`),
    )
    expect(ordersFor(many)).toHaveLength(8 * 3)
  })
})

/** Accepts connections, and is silent. */
const startSilent = async () => {
  const { origin, connections } = await opened(serveBytes(() => {}))
  return { port: Number(new URL(origin).port), connections }
}

const optionsFor = (port: number, hosts: number, signal: AbortSignal) => {
  const domains = Array.from({ length: hosts }, (_, index) => `d${index}.zoo.example`)
  const redirects = domains.map((from) => ({ from, to: host, status: 301 }))
  const at = { platformAddresses: ['127.0.0.1'], httpsPort: port, httpPort: port }
  const { settings } = makeFacts([], [], at)
  const config = { primary: host, redirects }
  return { settings, config, resolvers: [], dnsTimeoutMs: 100, ca: null, signal }
}

test('an address without a response is asked few times for many domains', async () => {
  const { port, connections } = await startSilent()
  const limits = { connectMs: 50, responseMs: 50, bodyBytes: 100 }
  await acquire({ ...optionsFor(port, 50, new AbortController().signal), limits })
  // Those in flight during four failures one after the other, of more than 200.
  expect(connections()).toBeLessThan(100)
})

test('an interruption ends what is in flight', async () => {
  const { port } = await startSilent()
  const interruption = new AbortController()
  const limits = { connectMs: 600_000, responseMs: 600_000, bodyBytes: 100 }
  const progress = () => interruption.abort()
  const options = { ...optionsFor(port, 1, interruption.signal), limits, progress }
  expect((await acquire(options)).probes).toEqual([])
})

test('a host gets at most six requests at an address if all of them fail', async () => {
  const requests: string[] = []
  const methods = new Set<string>()
  const variant: PublishingVariant = {
    ...instead('docs.farm.test', `docs.farm.test A ${foreign}`),
    respond: (_honest, request) => {
      const { method } = request
      requests.push(`${request.host} ${request.address}`)
      methods.add(method)
      return { status: 503, headers: {}, body: 'down' }
    },
  }
  const demo = await startDemo(variant, null)
  onTestFinished(demo.close)
  const { httpsPort, httpPort } = demo
  const { probes } = await acquire({
    settings: makeFacts([], [], { platformHost: demoPlatform, httpsPort, httpPort }).settings,
    config: { primary, redirects },
    resolvers: [demo.dns],
    dnsTimeoutMs: 2_000,
    ca: demo.rootPem,
    signal: new AbortController().signal,
  })
  expect(new Set(probes.map((each) => each.address))).toEqual(new Set(['127.0.0.1']))
  const counts = requests.map((each) => requests.filter((one) => one === each).length)
  expect(Math.max(...counts)).toBe(6)
  expect([...methods].sort()).toEqual(['GET', 'HEAD'])
})
