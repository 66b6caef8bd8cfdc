// The work of `petvet domains lint` and `plan`, which ask no network: the file alone, and the
// records to set.
import { table } from '../../cli/table.ts'
import { plannedOrders } from '../check/acquire/acquire.ts'
import { hostsOf } from '../check/facts.ts'
import { recordToSet, registrableDomain } from '../rules/host-name.ts'
import { askedOf } from './asked.ts'
import { readDomains } from './files.ts'
import type { AskedFlags } from './flags.ts'

type PlanFlags = Pick<AskedFlags, 'domains' | 'platform-host'>

export const runLint = async ({ domains }: PlanFlags): Promise<number> => {
  const { config, notes } = readDomains(domains)
  const { primary, redirects } = config
  const lines = [
    `${domains}: sound`,
    `  ${primary} serves`,
    ...redirects.map(({ from, to, status }) => `  ${from} redirects to ${to} with ${status}`),
    ...notes.map((note) => `  Note: ${note}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

/** An address that stands for each of those that the platform will turn out to have. */
const anyAddress = '192.0.2.1'

export const runPlan = async (flags: PlanFlags): Promise<number> => {
  const { config } = readDomains(flags.domains)
  const asked = askedOf({ ...flags, 'platform-address': [anyAddress] })
  const { platformHost } = asked
  const orders = plannedOrders({ asked, config }, [])
  const rows = hostsOf(config).map((host) => {
    const { name, type, ttl, value } = recordToSet(host, platformHost)
    return [host, registrableDomain(host), name, String(ttl), type, value]
  })
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
