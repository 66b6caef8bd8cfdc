// The work of `petvet domains plan`: the records to set, and what a check would send.

import { table } from '../../cli/table.ts'
import { plannedOrders } from '../check/acquire/acquire.ts'
import { hostsOf } from '../check/facts.ts'
import { recordToSet } from '../rules/record-to-set.ts'
import { askedOf, hostOf } from './asked.ts'
import { readDomains } from './read-domains.ts'

interface PlanFlags {
  readonly domains: string | undefined
  readonly 'platform-host': string | undefined
}

/** An address that stands for each of those that the platform will turn out to have. */
const anyAddress = '192.0.2.1'

const noFlags = {
  site: undefined,
  marker: undefined,
  path: undefined,
  plan: undefined,
  ca: undefined,
  since: undefined,
  'verified-at': undefined,
  'allow-proxy': undefined,
  'probe-foreign': undefined,
  resolver: undefined,
  'ca-file': undefined,
  'https-port': undefined,
  'http-port': undefined,
}

export const runPlan = async (flags: PlanFlags): Promise<number> => {
  const { config } = readDomains(flags.domains)
  const platformHost = hostOf('--platform-host', flags['platform-host'])
  const records = hostsOf(config).map((host) => recordToSet(host, platformHost))
  const asked = askedOf({ ...flags, ...noFlags, 'platform-address': [anyAddress] })
  const orders = plannedOrders({ asked, config }, [])
  const rows = records.map(({ host, zone, name, type, ttl, value }) => [
    host,
    zone,
    name,
    String(ttl),
    type,
    value,
  ])
  process.stdout.write(
    [
      'The DNS records to set, as the dashboard has to show them after Add domain:',
      '',
      ...table([['domain', 'zone', 'name', 'TTL', 'type', 'value'], ...rows]),
      '',
      `A check sends ${orders.length} requests, GET and HEAD, to each address of ${platformHost},`,
      'follows no redirect, and connects to no other address.',
      '',
    ].join('\n'),
  )
  return 0
}
