// The demonstration's platform and project: names, zones, and what the edge returns for a host.
import type { EdgeRequest, EdgeResponse } from './edge.ts'
import type { HostResponse } from './model.ts'
import { record, type Zones } from './zones.ts'

const platformZone = 'publish.test'
export const platformHost = `sites.${platformZone}`
export const siteHost = `menagerie.${platformZone}`
export const authorityName = 'ca.publish.test'
export const marker = 'petvet-demo-menagerie'

export const primary = 'www.animals.test'
export const redirects = [
  { from: 'animals.test', to: primary, status: 301 },
  { from: 'shop.animals.test', to: primary, status: 302 },
  { from: 'docs.farm.test', to: primary, status: 308 },
] as const
export const customHosts: readonly string[] = [primary, ...redirects.map(({ from }) => from)]

/** The zones as their owners have set them, according to the dashboard. */
export const customerZones = (addresses: readonly string[]): Zones => ({
  apexes: [platformZone, 'animals.test', 'farm.test', 'test'],
  records: [
    ...addresses.flatMap((address) =>
      [platformHost, siteHost].map((name) => record(`${name} A ${address}`, 60)),
    ),
    ...customHosts.map((host) =>
      record(`${host} ${host === 'animals.test' ? 'ALIAS' : 'CNAME'} ${platformHost}`),
    ),
  ],
})

export const page = (status: number, body: string): EdgeResponse => ({ status, headers: {}, body })

export const redirectTo = (status: number, location: string): EdgeResponse => ({
  ...page(status, ''),
  headers: { location },
})

const titled = (status: number, title: string, more = '') =>
  page(
    status,
    `<!doctype html><html lang="en"><head><title>${title}</title>${more}</head></html>\n`,
  )

const projectPage = titled(200, 'Menagerie', `<meta name="petvet" content="${marker}">`)

/** @param response of the model, which the edge returns as HTTP */
export const edgeResponse = (
  response: HostResponse,
  { scheme, host, path }: EdgeRequest,
): EdgeResponse => {
  if (response.kind === 'nothing') return titled(404, 'Not found')
  if (scheme === 'http') return redirectTo(308, `https://${host}${path}`)
  if (response.kind === 'redirect') {
    return redirectTo(response.status, `https://${response.to}${path}`)
  }
  return path.split('?')[0] === '/' ? projectPage : titled(404, 'No such page')
}
