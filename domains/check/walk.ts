// Walks through DNS answers: from a name to where it leads, and from a name up to its CAA records.
// They are pure: an answer that is not there yet is noted, and taken for none.
import type { CaaRecord, DnsRecord, DnsType, PlainRecord } from '../rules/dns-packet.ts'
import { registrableDomain } from '../rules/host-name.ts'
import { type Asked, type DnsReply, type DnsTable, questionKey } from './facts.ts'

/** The answer to a question; undefined: it has not been asked. */
export type Look = (name: string, type: DnsType) => DnsReply | undefined

/** What was not asked, for a run was interrupted, is not taken for an answer. */
export const lookIn =
  ({ replies }: DnsTable): Look =>
  (name, type) => {
    const key = questionKey(name, type)
    return (Object.hasOwn(replies, key) ? replies[key] : undefined) ?? { failed: 'not asked' }
  }

const aliasMost = 8

/** What stands at the name itself: an answer tells of alias targets, too. */
const ownOf = (reply: DnsReply | undefined, name: string, type: DnsType): readonly DnsRecord[] =>
  reply && 'answers' in reply
    ? reply.answers.filter((record) => record.name === name && record.type === type)
    : []

const dataOf = (look: Look, name: string, type: PlainRecord['type']): PlainRecord[] =>
  ownOf(look(name, type), name, type).filter((each): each is PlainRecord => each.type === type)

/** Why an answer says nothing about the name; null where it does. */
const troubleOf = (look: Look, name: string, type: DnsType): string | null => {
  const reply = look(name, type)
  if (reply === undefined) return null
  if ('failed' in reply) return `${name} ${type}: ${reply.failed}`
  return ['NOERROR', 'NXDOMAIN'].includes(reply.rcode) ? null : `${name} ${type}: ${reply.rcode}`
}

const firstTrouble = (look: Look, questions: readonly (readonly [string, DnsType])[]) =>
  questions.map(([name, type]) => troubleOf(look, name, type)).find((each) => each !== null) ?? null

export interface HostView {
  readonly host: string
  readonly isApex: boolean
  readonly cnames: readonly PlainRecord[]
  /** A and AAAA at the name itself. */
  readonly own: readonly PlainRecord[]
  /** Records beside which no CNAME may stand: MX and TXT. */
  readonly others: readonly PlainRecord[]
  /** The names that the CNAMEs lead through, without the host. */
  readonly chain: readonly string[]
  readonly loops: boolean
  /** Where all of it ends. */
  readonly addresses: readonly string[]
  readonly authoritative: boolean
  /** Why the CNAME, or the addresses, cannot be told. */
  readonly cnameTrouble: string | null
  readonly addressTrouble: string | null
}

const follow = (look: Look, host: string) => {
  const chain: string[] = []
  let current = host
  for (let hop = 0; hop < aliasMost; hop++) {
    const [alias] = dataOf(look, current, 'CNAME')
    if (!alias) return { chain, end: current, loops: false }
    if (alias.data === host || chain.includes(alias.data)) break
    chain.push(alias.data)
    current = alias.data
  }
  return { chain, end: current, loops: true }
}

const addressesAt = (look: Look, name: string) =>
  (['A', 'AAAA'] as const).flatMap((type) => dataOf(look, name, type))

export const viewOf = (look: Look, host: string): HostView => {
  const { chain, end, loops } = follow(look, host)
  const cnames = dataOf(look, host, 'CNAME')
  const aliases = [host, ...chain].map((name) => [name, 'CNAME'] as const)
  const ends = [host, end].flatMap((name) => [[name, 'A'] as const, [name, 'AAAA'] as const])
  const reply = look(host, 'CNAME')
  const isApex = registrableDomain(host) === host || dataOf(look, host, 'SOA').length > 0
  const others = cnames.length > 0 && !isApex
  return {
    host,
    isApex,
    cnames,
    own: addressesAt(look, host),
    others: others ? (['MX', 'TXT'] as const).flatMap((type) => dataOf(look, host, type)) : [],
    chain,
    loops,
    addresses: loops ? [] : addressesAt(look, end).map(({ data }) => data),
    authoritative: reply !== undefined && 'rcode' in reply && reply.authoritative,
    cnameTrouble: firstTrouble(look, aliases),
    addressTrouble: firstTrouble(look, ends),
  }
}

/** The addresses of the platform, from every resolver. */
export const platformAddressesOf = (tables: readonly DnsTable[], asked: Asked): string[] => [
  ...new Set([
    ...tables.flatMap((table) => viewOf(lookIn(table), asked.platformHost).addresses),
    ...asked.platformAddresses,
  ]),
]

/** Where the record would stand if its zone had been written twice. */
export const doubledName = (host: string): string => `${host}.${registrableDomain(host)}`

export interface CaaView {
  /** Where the nearest set stands; null: there is none. */
  readonly at: string | null
  readonly set: readonly CaaRecord[]
  readonly trouble: string | null
}

const caaSet = (look: Look, name: string): Pick<CaaView, 'set' | 'trouble'> => {
  let current = name
  for (let hop = 0; hop < aliasMost; hop++) {
    const trouble = troubleOf(look, current, 'CAA') ?? troubleOf(look, current, 'CNAME')
    if (trouble) return { set: [], trouble }
    const found = ownOf(look(current, 'CAA'), current, 'CAA')
    const set = found.filter((each): each is CaaRecord => each.type === 'CAA')
    const [alias] = dataOf(look, current, 'CNAME')
    if (set.length > 0 || !alias) return { set, trouble: null }
    current = alias.data
  }
  return { set: [], trouble: `${name}: its aliases do not end` }
}

/**
 * The CAA records that count for a host (RFC 8659, 3): the nearest set that is not empty, from the
 * host up to its top level; an alias is followed, and the parents of its target are not asked.
 */
export const caaViewOf = (look: Look, host: string): CaaView => {
  const labels = host.split('.')
  for (const from of labels.keys()) {
    const at = labels.slice(from).join('.')
    const { set, trouble } = caaSet(look, at)
    if (trouble) return { at, set: [], trouble }
    if (set.length > 0) return { at, set, trouble: null }
  }
  return { at: null, set: [], trouble: null }
}
