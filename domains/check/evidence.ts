// What a finding rests on, as a run file holds it: requests and DNS questions, each with a line for
// a shell that asks the same.
import { isIPv6 } from 'node:net'
import type { Evidence, EvidenceRequest, EvidenceResponse } from '../../engine/run-file.ts'
import { type DnsQuestion, type DnsRecord, rcodes } from '../rules/dns-packet.ts'
import { type DnsReply, type DnsTable, type Facts, type Probe, questionKey } from './facts.ts'
import type { Finding } from './finding.ts'

const isProbe = (ground: DnsQuestion | Probe): ground is Probe => 'purpose' in ground

const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const bracketed = (address: string) => (isIPv6(address) ? `[${address}]` : address)

const urlOf = ({ scheme, host, port, path }: Probe): string => {
  const usual = port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${host}${usual ? '' : `:${port}`}${path}`
}

/** A certificate that is wrong is not in the way of what is asked: hence `-k`. */
const curlOf = (probe: Probe): string => {
  const { sni, host, port, address, method } = probe
  const head = method === 'HEAD' ? ' --head' : ''
  // Under another name, curl is told of the host apart.
  const named = sni === host ? probe : { ...probe, host: sni }
  const header = sni === host ? '' : ` -H ${word(`Host: ${host}`)}`
  const to = word(`${sni}:${port}:${bracketed(address)}`)
  return `curl -sSik${head} --resolve ${to}${header} ${word(urlOf(named))}`
}

const digOf = ({ name, type }: DnsQuestion, resolver: string): string => {
  const [, address = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(resolver) ?? []
  return `dig @${address} -p ${port} ${word(name)} ${type}`
}

const requestOf = (probe: Probe): EvidenceRequest => ({
  method: probe.method,
  url: urlOf(probe),
  headers: [['host', probe.host]],
  body: null,
})

const responseOf = ({ answer }: Probe): EvidenceResponse | null =>
  answer && { status: answer.status, headers: answer.headers, body: answer.body }

const questionOf = (
  { name, type }: Record<'name' | 'type', string>,
  resolver: string,
): EvidenceRequest => ({
  method: 'DNS',
  url: `dns://${resolver}/${name}?type=${type}`,
  headers: [],
  body: null,
})

const lineOf = (record: DnsRecord): string => {
  const { name, ttl, type } = record
  const data =
    record.type === 'CAA' ? `${record.flags} ${record.tag} "${record.value}"` : record.data
  return `${name}. ${ttl} IN ${type} ${data}`
}

/** As the first resolver answered: the status is the response code of DNS. */
const repliedOf = ({ dns }: Facts, { name, type }: DnsQuestion): EvidenceResponse | null => {
  const reply = dns[0]?.replies[questionKey(name, type)]
  if (!reply || 'failed' in reply) return null
  const { rcode, answers } = reply
  const body = [rcode, ...answers.map(lineOf), ''].join('\n')
  return { status: rcodes.indexOf(rcode), headers: [], body }
}

const allProbes = ({ probes, removal }: Facts): readonly Probe[] => [
  ...probes,
  ...(removal?.before ?? []),
  ...(removal?.after ?? []),
]

const noAnswer = ({ failed }: Probe) => (failed ? { noAnswer: failed.code } : {})

export const evidenceOf = (facts: Facts, { grounds }: Finding): Evidence[] => {
  const all = allProbes(facts)
  const resolver = facts.dns[0]?.resolver ?? ''
  return grounds.map((ground) =>
    isProbe(ground)
      ? {
          seq: all.indexOf(ground) + 1,
          request: requestOf(ground),
          response: responseOf(ground),
          ...noAnswer(ground),
          curl: curlOf(ground),
        }
      : {
          seq: 0,
          request: questionOf(ground, resolver),
          response: repliedOf(facts, ground),
          curl: digOf(ground, resolver),
        },
  )
}

/** How many requests were sent to web servers; DNS questions are not among them. */
export const requestsIn = (facts: Facts): number => allProbes(facts).length

const dnsLine = ({ resolver }: DnsTable, [key, reply]: [string, DnsReply], at: string): string => {
  const [name = '', type = ''] = key.split(' ')
  const { body: _none, ...request } = questionOf({ name, type }, resolver)
  return JSON.stringify({ seq: 0, at, check: 'dns', key: null, request, reply })
}

/** The lines of `exchanges.ndjson`: the requests by their numbers, and then the DNS. */
export const exchangeLines = (facts: Facts): string[] => [
  ...allProbes(facts).map((probe, index) =>
    JSON.stringify({
      seq: index + 1,
      at: probe.at,
      check: probe.purpose,
      key: null,
      address: probe.address,
      sni: probe.sni,
      request: requestOf(probe),
      response: responseOf(probe),
      tls: probe.tls,
      ...noAnswer(probe),
      ms: probe.ms,
    }),
  ),
  ...facts.dns.flatMap((table) =>
    Object.entries(table.replies).map((entry) => dnsLine(table, entry, facts.at)),
  ),
]
