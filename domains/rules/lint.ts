// Validates a domains file: its schema, and the rules about redirects. It uses no network.
import type { RequirementId } from '../../spec/requirements.ts'
import { compileWhole, type SchemaFault } from '../../spec/schemas.ts'
import schema from './domains.schema.json' with { type: 'json' }
import { hostFault, isSuffix, plainHost } from './host-name.ts'

export interface RedirectConfig {
  readonly from: string
  readonly to: string
  readonly status: number
}

export interface DomainsConfig {
  readonly primary: string
  readonly redirects: readonly RedirectConfig[]
}

interface DomainsFault {
  readonly requirement: RequirementId
  /** Where it is: `domains`, `redirects`, `0`, `from`. */
  readonly path: readonly string[]
  /** In one line, the place included. */
  readonly says: string
}

const check = compileWhole(schema)

const names = ['primary', 'from', 'to']

/** Every domain in one form, before the schema validates it. */
const plain = (value: unknown, name: string): unknown => {
  if (typeof value === 'string') return names.includes(name) ? plainHost(value) : value
  if (Array.isArray(value)) return value.map((each) => plain(each, name))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part, key)]))
}

const placeOf = (path: readonly string[]): string =>
  path
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1) || 'the file'

const explain = ({ path, says, value }: SchemaFault): string => {
  const parts = path.split('/').slice(1)
  const place = placeOf(parts)
  if (names.includes(parts.at(-1) ?? '') && typeof value === 'string') {
    const shown = JSON.stringify(value.slice(0, 80))
    return `${place} ${shown} ${hostFault(value) ?? 'is not a host name'}`
  }
  return `${place} ${says.replace(path === '' ? 'the value' : path, '').trim()}`
}

const shapeFaults = (value: unknown): DomainsFault[] => {
  const faults = check(value).map((fault): DomainsFault => {
    const path = fault.path.split('/').slice(1)
    if (fault.keyword === 'additionalProperties') path.push(fault.member ?? '')
    return { requirement: 'publishing.shape', path, says: explain(fault) }
  })
  // One mistake can break several keywords of a member.
  return [...new Map(faults.map((fault) => [fault.says, fault])).values()]
}

const loopFrom = ({ from, to }: RedirectConfig, redirects: readonly RedirectConfig[]) => {
  const targets = new Map(redirects.map((each) => [each.from, each.to]))
  const path = [from]
  let next: string | undefined = to
  for (; next !== undefined && !path.includes(next); next = targets.get(next)) path.push(next)
  return next === from ? [...path, next] : null
}

const faultAt = (requirement: RequirementId, place: readonly string[], why: string) => {
  const path = ['domains', ...place]
  return { requirement, path, says: `${placeOf(path)} ${why}` }
}

const graphFaults = ({ primary, redirects }: DomainsConfig): DomainsFault[] =>
  redirects.flatMap((redirect, index) => {
    const { from } = redirect
    const place = ['redirects', String(index), 'from']
    const fault = (why: string) => [faultAt('publishing.redirect-graph', place, why)]
    if (from === primary) return fault(`"${from}" is the primary domain, which serves`)
    const first = redirects.findIndex((each) => each.from === from)
    if (first < index) return fault(`"${from}" occurs twice, first in redirects[${first}]`)
    const loop = loopFrom(redirect, redirects)
    // A loop is reported once, where it begins.
    const isFirst = loop && !redirects.slice(0, index).some((each) => loop.includes(each.from))
    return loop && isFirst ? fault(`loops: ${loop.join(' -> ')}`) : []
  })

/** Names of the right form that nobody has as a domain. */
const suffixFaults = ({ primary, redirects }: DomainsConfig): DomainsFault[] => {
  const named = redirects.flatMap((redirect, index) =>
    (['from', 'to'] as const).map((end) => [redirect[end], 'redirects', String(index), end]),
  )
  return [[primary, 'primary'], ...named].flatMap(([host = '', ...place]) => {
    const why = `"${host}" is a suffix, below which domains are registered`
    return isSuffix(host) ? [faultAt('publishing.shape', place, why)] : []
  })
}

export const lintDomains = (given: unknown) => {
  const value = plain(given, '')
  const faults = shapeFaults(value)
  if (faults.length > 0) return { faults, config: null }
  const { primary, redirects } = (value as { domains: Partial<DomainsConfig> }).domains
  const config = { primary: primary ?? '', redirects: redirects ?? [] }
  const graph = [...suffixFaults(config), ...graphFaults(config)]
  return { faults: graph, config: graph.length > 0 ? null : config }
}
