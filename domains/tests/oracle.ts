// What the publishing rules require, compared to the model of them after every event. It sees only
// the model's replies and responses, and is a second reading of the interface.

import type { Plan } from '../../spec/plans.ts'
import { type PublishingEvent, PublishingModel, type Reply } from '../model/model.ts'
import type { DnsFacts, HostResponse, Redirect, Rules } from '../model/rules.ts'

/** The label to set a record at, or '@' at an apex: written down by hand. */
const labels = {
  'zoo.co.uk': '@',
  'www.zoo.co.uk': 'www',
  'a.b.zoo.co.uk': 'a.b',
  'docs.farm.example': 'docs',
  'farm.example': '@',
} as const
export type Host = keyof typeof labels
export const hosts = Object.keys(labels) as Host[]

export const situations = ['good', 'none', 'wrong', 'conflict', 'two'] as const
export type Situation = (typeof situations)[number]

const platformHost = 'sites.publish.example'
const own = '198.51.100.1'
const foreign = '203.0.113.9'

const factsOf = (host: Host, situation: Situation): DnsFacts => {
  const isApex = labels[host] === '@'
  const facts = (cnames: string[], addresses: string[]) => ({
    cnames,
    addresses,
    platformAddresses: [own, '2001:db8::1'],
  })
  switch (situation) {
    case 'good':
      return isApex ? facts([], [own]) : facts([platformHost], [])
    case 'none':
      return facts([], [])
    case 'wrong':
      return isApex ? facts([], [foreign]) : facts(['elsewhere.example'], [])
    case 'conflict':
      return isApex ? facts([], [own, foreign]) : facts([platformHost], [own])
    case 'two':
      return isApex ? facts([platformHost], [own]) : facts([platformHost, 'elsewhere.example'], [])
  }
}

export const slugs = ['zoo', 'farm'] as const
type Slug = (typeof slugs)[number]

export type Action =
  | { readonly do: 'event'; readonly event: PublishingEvent }
  | { readonly do: 'dns'; readonly host: Host; readonly situation: Situation }
  | { readonly do: 'caa'; readonly host: Host; readonly allows: boolean }

interface Attached {
  readonly slug: Slug
  everVerified: boolean
  /** Since when nothing prevents a certificate, as of the last Verify that requested one. */
  freeSinceMs: number | null
}

/** The state that the next event is judged by. */
interface Memory {
  readonly model: PublishingModel
  readonly plans: Map<string, Plan>
  readonly deployed: Set<string>
  readonly attached: Map<Host, Attached>
  readonly dns: Map<string, Situation>
  readonly forbidden: Set<string>
  readonly redirects: Map<string, readonly Redirect[]>
}

const must = (holds: boolean, says: string): void => {
  if (!holds) throw new Error(says)
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Longer than a certificate may take. */
const couldIssueMs = 3 * 60_000

type Responses = readonly (readonly [Host, HostResponse])[]

const responsesOf = ({ model }: Memory): Responses =>
  hosts.map((host) => [host, model.respond(host)])

const judgeAdd = ({ plans, deployed, attached }: Memory, slug: Slug, host: Host, reply: Reply) => {
  const due = plans.get(slug) !== 'free' && deployed.has(slug) && !attached.has(host)
  must(reply.ok === due, `Add domain ${host}: ${reply.ok}, expected ${due}`)
  if (!reply.ok) return
  attached.set(host, { slug, everVerified: false, freeSinceMs: null })
  const type = labels[host] === '@' ? 'ALIAS or ANAME' : 'CNAME'
  const shown = { type, name: labels[host], value: platformHost, ttl: 3600 }
  must(same(reply.record, shown), `the record shown for ${host}: ${JSON.stringify(reply.record)}`)
}

const judgeVerify = (memory: Memory, slug: Slug, host: Host, reply: Reply) => {
  const domain = memory.attached.get(host)
  const due = domain?.slug === slug && memory.dns.get(host) === 'good'
  must(reply.ok === due, `Verify ${host} with DNS ${memory.dns.get(host)}: ${reply.ok}`)
  if (domain?.slug !== slug) return
  domain.everVerified ||= due
  domain.freeSinceMs = due && !memory.forbidden.has(host) ? memory.model.nowMs : null
}

const judgeRemove = (memory: Memory, slug: Slug, host: Host, reply: Reply, before: Responses) => {
  must(reply.ok === (memory.attached.get(host)?.slug === slug), `Remove ${host}: ${reply.ok}`)
  if (!reply.ok) return
  memory.attached.delete(host)
  const kept = (memory.redirects.get(slug) ?? []).filter(({ from }) => from !== host)
  memory.redirects.set(slug, kept)
  const others = (all: Responses) => all.filter(([each]) => each !== host)
  must(same(others(before), others(responsesOf(memory))), `Remove ${host} changed another domain`)
}

const dueResponse = (
  { redirects }: Memory,
  host: Host,
  domain: Attached | undefined,
): HostResponse => {
  const redirect = redirects.get(domain?.slug ?? '')?.find(({ from }) => from === host)
  if (redirect) return { kind: 'redirect', status: redirect.status, to: redirect.to }
  return { kind: 'serve', slug: domain?.slug ?? '' }
}

const judgeHost = (memory: Memory, host: Host, response: HostResponse) => {
  const domain = memory.attached.get(host)
  const names = memory.model.certificate(host)
  must(names === null || domain?.everVerified === true, `${host} has a certificate unverified`)
  must(names === null || same(names, [host]), `the certificate of ${host} names ${names}`)
  const freeMs = memory.model.nowMs - (domain?.freeSinceMs ?? Number.POSITIVE_INFINITY)
  must(names !== null || freeMs < couldIssueMs, `${host} gets no certificate`)
  const due: HostResponse = names ? dueResponse(memory, host, domain) : { kind: 'nothing' }
  must(same(response, due), `${host}: ${JSON.stringify(response)}, not ${JSON.stringify(due)}`)
}

const judgeAll = (memory: Memory) => {
  const { model, deployed } = memory
  for (const [host, response] of responsesOf(memory)) judgeHost(memory, host, response)
  for (const slug of slugs) {
    const { kind } = model.respond(`${slug}.publish.example`)
    must((kind === 'serve') === deployed.has(slug), `the subdomain of ${slug}: ${kind}`)
  }
  must(model.respond('nobody.example').kind === 'nothing', 'an unknown host gets a response')
}

const judgeReply = (memory: Memory, event: PublishingEvent, reply: Reply, before: Responses) => {
  if (event.kind === 'deploy' && event.ok) memory.deployed.add(event.slug)
  if (event.kind === 'plan') memory.plans.set(event.slug, event.plan)
  if (event.kind === 'configure' && reply.ok) memory.redirects.set(event.slug, event.redirects)
  if (!('host' in event)) return
  const [slug, host] = [event.slug as Slug, event.host as Host]
  if (event.kind === 'add') judgeAdd(memory, slug, host, reply)
  else if (event.kind === 'remove') judgeRemove(memory, slug, host, reply, before)
  else judgeVerify(memory, slug, host, reply)
}

const actOn = (memory: Memory, event: PublishingEvent) => {
  const { model, forbidden } = memory
  const before = responsesOf(memory)
  const bare = hosts.filter((host) => model.certificate(host) === null)
  const reply = model.act(event)
  judgeReply(memory, event, reply, before)
  for (const host of bare.filter((each) => forbidden.has(each))) {
    must(model.certificate(host) === null, `${host} got a certificate that CAA forbids`)
  }
}

const changeCaa = ({ forbidden, attached }: Memory, host: Host, allows: boolean) => {
  if (allows) forbidden.delete(host)
  else forbidden.add(host)
  const domain = attached.get(host)
  if (domain && !allows) domain.freeSinceMs = null
}

/** A platform of two projects. @returns what performs an action, and judges the result */
export const watch = (rules: Rules): ((action: Action) => void) => {
  const dns = new Map<string, Situation>()
  const forbidden = new Set<string>()
  const memory: Memory = {
    model: new PublishingModel(rules, {
      host: platformHost,
      zone: 'publish.example',
      plans: Object.fromEntries(slugs.map((slug) => [slug, 'free'])),
      dns: (host) => factsOf(host as Host, dns.get(host) ?? 'none'),
      caaAllows: (host) => !forbidden.has(host),
    }),
    plans: new Map(slugs.map((slug) => [slug, 'free'])),
    deployed: new Set(),
    attached: new Map(),
    dns,
    forbidden,
    redirects: new Map(),
  }
  return (action) => {
    if (action.do === 'event') actOn(memory, action.event)
    else if (action.do === 'dns') memory.dns.set(action.host, action.situation)
    else changeCaa(memory, action.host, action.allows)
    judgeAll(memory)
  }
}
