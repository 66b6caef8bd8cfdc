// The evidence of a finding, as a run file holds it: requests and DNS questions, each with a line
// for a shell that sends the same.
import { isIPv6 } from 'node:net'
import type { Evidence, EvidenceRequest, EvidenceResponse } from '../../engine/run-file.ts'
import { type DnsQuestion, rcodes } from '../rules/dns-packet.ts'
import type { Finding } from './declare.ts'
import { type Facts, type Probe, questionKey } from './facts.ts'

const word = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const urlOf = ({ scheme, host, port, path }: Probe): string => {
  const isUsual = port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${host}${isUsual ? '' : `:${port}`}${path}`
}

/** With `-k`, as a wrong certificate must not prevent the request. */
const curlOf = (probe: Probe): string => {
  const { sni, host, port, address, method } = probe
  const head = method === 'HEAD' ? ' --head' : ''
  // With another name in the handshake, the Host header is set apart.
  const header = sni === host ? '' : ` -H ${word(`Host: ${host}`)}`
  const to = word(`${sni}:${port}:${isIPv6(address) ? `[${address}]` : address}`)
  return `curl -sSik${head} --resolve ${to}${header} ${word(urlOf({ ...probe, host: sni }))}`
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

const dnsRequest = (name: string, type: string, resolver: string) => ({
  method: 'DNS',
  url: `dns://${resolver}/${name}?type=${type}`,
  headers: [],
})

/** From the first resolver; the status is the response code of DNS. */
const dnsResponse = ({ dns }: Facts, { name, type }: DnsQuestion): EvidenceResponse | null => {
  const reply = dns[0]?.replies[questionKey(name, type)]
  if (!reply || 'failed' in reply) return null
  const { rcode, answers } = reply
  const lines = answers.map((each) => `${each.name}. ${each.ttl} IN ${each.type} ${each.data}`)
  return { status: rcodes.indexOf(rcode), headers: [], body: [rcode, ...lines, ''].join('\n') }
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
    'purpose' in ground
      ? {
          seq: all.indexOf(ground) + 1,
          request: requestOf(ground),
          response: responseOf(ground),
          ...noAnswer(ground),
          curl: curlOf(ground),
        }
      : {
          seq: 0,
          request: { ...dnsRequest(ground.name, ground.type, resolver), body: null },
          response: dnsResponse(facts, ground),
          curl: digOf(ground, resolver),
        },
  )
}

/** How many requests were sent to web servers; DNS questions are not among them. */
export const requestsIn = (facts: Facts): number => allProbes(facts).length

/** The lines of `exchanges.ndjson`: the requests by their numbers, and then the DNS. */
export const exchangeLines = (facts: Facts): string[] => {
  const probes = allProbes(facts).map((probe, index) => ({
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
  }))
  const lookups = facts.dns.flatMap(({ resolver, replies }) =>
    Object.entries(replies).map(([key, reply]) => {
      const [name = '', type = ''] = key.split(' ')
      const request = dnsRequest(name, type, resolver)
      return { seq: 0, at: facts.at, check: 'dns', key: null, request, reply }
    }),
  )
  return [...probes, ...lookups].map((line) => JSON.stringify(line))
}
