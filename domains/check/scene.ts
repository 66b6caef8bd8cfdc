// The facts as the judgements look at them: by host, with the platform's addresses at hand.
import type { RedirectConfig } from '../rules/lint.ts'
import { type Facts, hostsOf, type Probe, type Purpose } from './facts.ts'
import {
  type CaaView,
  caaViewOf,
  doubledName,
  type HostView,
  lookIn,
  platformAddressesOf,
  viewOf,
} from './walk.ts'

export interface HostScene {
  readonly host: string
  /** Undefined: it is the primary domain. */
  readonly redirect: RedirectConfig | undefined
  /** As the first resolver sees it. */
  readonly dns: HostView
  readonly caa: CaaView
  /** Whether the record stands under its zone's name twice. */
  readonly doubled: boolean
  /** As the other resolvers see it. */
  readonly elsewhere: readonly HostView[]
  readonly probes: readonly Probe[]
}

export interface Scene {
  readonly facts: Facts
  readonly platform: readonly string[]
  /** Why the platform's addresses cannot be told. */
  readonly platformTrouble: string | null
  readonly hosts: readonly HostScene[]
  readonly atMs: number
}

const emptyTable = { resolver: '', replies: {} }

export const sceneOf = (facts: Facts): Scene => {
  const { asked, config, dns } = facts
  const [first = emptyTable, ...others] = dns
  const look = lookIn(first)
  const hosts = hostsOf(config).map((host) => ({
    host,
    redirect: config.redirects.find(({ from }) => from === host),
    dns: viewOf(look, host),
    caa: caaViewOf(look, host),
    doubled: viewOf(look, doubledName(host)).cnames.length > 0,
    elsewhere: others.map((table) => viewOf(lookIn(table), host)),
    probes: facts.probes.filter((probe) => probe.host === host),
  }))
  const platform = platformAddressesOf(dns, asked)
  const { addressTrouble } = viewOf(look, asked.platformHost)
  const none = platform.length === 0 ? `${asked.platformHost} has no address` : null
  const platformTrouble = platform.length === 0 ? (addressTrouble ?? none) : null
  return { facts, platform, platformTrouble, hosts, atMs: Date.parse(facts.at) }
}

/** The requests of a purpose, to the platform's addresses alone. */
export const probesOf = (
  { platform }: Scene,
  { probes }: Pick<HostScene, 'probes'>,
  purpose: Purpose,
): Probe[] => probes.filter((each) => each.purpose === purpose && platform.includes(each.address))
