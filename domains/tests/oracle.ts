// What the publishing rules promise, compared with a model of them after every event. It sees only
// the model's replies and responses, and is a second reading of the interface.

import type { Plan } from '../../spec/plans.ts'
import type { Model } from '../model/model.ts'
import {
  type DnsFacts,
  type HostAnswer,
  type Platform,
  type PublishingEvent,
  type Redirect,
  type Reply,
  usualPolicy,
} from '../model/state.ts'

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
  readonly model: Model
  platform: Platform
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

type Answers = readonly (readonly [Host, HostAnswer])[]

const answersOf = ({ model, platform }: Memory): Answers =>
  hosts.map((host) => [host, model.answer(platform, host)])

const judgeAdd = ({ plans, deployed, attached }: Memory, slug: Slug, host: Host, reply: Reply) => {
  const due = plans.get(slug) !== 'free' && deployed.has(slug) && !attached.has(host)
  must(reply.ok === due, `Add domain ${host}: ${reply.ok}, though ${due} was due`)
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
  domain.freeSinceMs = due && !memory.forbidden.has(host) ? memory.platform.nowMs : null
}

const judgeRemove = (memory: Memory, slug: Slug, host: Host, reply: Reply, before: Answers) => {
  must(reply.ok === (memory.attached.get(host)?.slug === slug), `Remove ${host}: ${reply.ok}`)
  if (!reply.ok) return
  memory.attached.delete(host)
  const kept = (memory.redirects.get(slug) ?? []).filter(({ from }) => from !== host)
  memory.redirects.set(slug, kept)
  const others = (all: Answers) => all.filter(([each]) => each !== host)
  must(same(others(before), others(answersOf(memory))), `Remove ${host} changed another domain`)
}

const dueAnswer = ({ redirects }: Memory, host: Host, domain: Attached | undefined): HostAnswer => {
  const redirect = redirects.get(domain?.slug ?? '')?.find(({ from }) => from === host)
  if (redirect) return { kind: 'redirect', status: redirect.status, to: redirect.to }
  return { kind: 'serve', slug: domain?.slug ?? '' }
}

const judgeHost = (memory: Memory, host: Host, answer: HostAnswer) => {
  const domain = memory.attached.get(host)
  const names = memory.model.certificate(memory.platform, host)
  must(names === null || domain?.everVerified === true, `${host} has a certificate unverified`)
  must(names === null || same(names, [host]), `the certificate of ${host} names ${names}`)
  const freeMs = memory.platform.nowMs - (domain?.freeSinceMs ?? Number.POSITIVE_INFINITY)
  must(names !== null || freeMs < couldIssueMs, `${host} gets no certificate`)
  const due: HostAnswer = names ? dueAnswer(memory, host, domain) : { kind: 'nothing' }
  must(same(answer, due), `${host} answers ${JSON.stringify(answer)}, not ${JSON.stringify(due)}`)
}

const judgeAll = (memory: Memory) => {
  const { model, platform, deployed } = memory
  for (const [host, answer] of answersOf(memory)) judgeHost(memory, host, answer)
  for (const slug of slugs) {
    const { kind } = model.answer(platform, `${slug}.publish.example`)
    must((kind === 'serve') === deployed.has(slug), `the subdomain of ${slug}: ${kind}`)
  }
  must(model.answer(platform, 'nobody.example').kind === 'nothing', "nobody's host is answered")
}

const judgeReply = (memory: Memory, event: PublishingEvent, reply: Reply, before: Answers) => {
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
  const { model, forbidden, dns } = memory
  const before = answersOf(memory)
  const bare = hosts.filter((host) => model.certificate(memory.platform, host) === null)
  const { platform, reply } = model.step(memory.platform, event, {
    dns: (host) => factsOf(host as Host, dns.get(host) ?? 'none'),
    caaAllows: (host) => !forbidden.has(host),
  })
  memory.platform = platform
  judgeReply(memory, event, reply, before)
  for (const host of bare.filter((each) => forbidden.has(each))) {
    must(model.certificate(platform, host) === null, `${host} got what CAA forbids`)
  }
}

const changeCaa = ({ forbidden, attached }: Memory, host: Host, allows: boolean) => {
  if (allows) forbidden.delete(host)
  else forbidden.add(host)
  const domain = attached.get(host)
  if (domain && !allows) domain.freeSinceMs = null
}

/** A platform of two projects under watch. @returns what lets an action happen, and judges it */
export const watch = (model: Model): ((action: Action) => void) => {
  const none = { deploys: [], domains: [], primary: null, redirects: [] }
  const memory: Memory = {
    model,
    platform: {
      nowMs: 0,
      host: platformHost,
      zone: 'publish.example',
      policy: usualPolicy,
      projects: slugs.map((slug) => ({ slug, plan: 'free', ...none })),
    },
    plans: new Map(slugs.map((slug) => [slug, 'free'])),
    deployed: new Set(),
    attached: new Map(),
    dns: new Map(),
    forbidden: new Set(),
    redirects: new Map(),
  }
  return (action) => {
    if (action.do === 'event') actOn(memory, action.event)
    else if (action.do === 'dns') memory.dns.set(action.host, action.situation)
    else changeCaa(memory, action.host, action.allows)
    judgeAll(memory)
  }
}
