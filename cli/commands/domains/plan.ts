// `petvet domains lint` and `plan`, which use no network: the file alone, and the DNS records.
import { plannedOrders } from '../../../domains/check/acquire/acquire.ts'
import { listHosts } from '../../../domains/check/facts.ts'
import { recordToSet, registrableDomain } from '../../../domains/rules/host-name.ts'
import { aligned } from '../../../reports/visible.ts'
import { command } from '../../command.ts'
import { planFlags, readDomainSettings, readDomains } from './options.ts'

export const lint = command({ domains: planFlags.domains }, ({ domains }) => {
  const { primary, redirects } = readDomains(domains)
  const lines = [
    `${domains}: valid`,
    `  ${primary} serves`,
    ...redirects.map(({ from, to, status }) => `  ${from} redirects to ${to} with ${status}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
})

/** A placeholder for the addresses of the platform, which are not resolved here. */
const anyAddress = '192.0.2.1'

export const plan = command(planFlags, (flags) => {
  const config = readDomains(flags.domains)
  const settings = readDomainSettings({ ...flags, 'platform-address': [anyAddress] })
  const { platformHost } = settings
  const orders = plannedOrders({ settings, config }, [])
  const rows = listHosts(config).map((host) => {
    const { name, type, ttl, value } = recordToSet(host, platformHost)
    return [host, registrableDomain(host), name, String(ttl), type, value]
  })
  process.stdout.write(
    [
      'DNS records to set, as the dashboard must show them after Add domain:',
      '',
      ...aligned([['domain', 'zone', 'name', 'TTL', 'type', 'value'], ...rows]),
      '',
      `A check sends ${orders.length} requests (GET and HEAD) to each address of ${platformHost}.`,
      'It follows no redirect and connects to no other address.',
      '',
    ].join('\n'),
  )
  return 0
})
