// The run file of the checks of domains, in the same form as any other run, and the exchanges next
// to it. Each request and each DNS question comes with a shell command that sends the same.
import { isIPv6 } from 'node:net'
import type { CheckResult, Evidence, RunCommand, RunFile } from '../../../engine/check/run-file.ts'
import { runFileSchema } from '../../../engine/check/run-file.ts'
import { countDecided, decideVerdict, rollUp } from '../../../engine/check/verdict.ts'
import { quoted } from '../../../engine/http/curl.ts'
import { interfaceVersion, version } from '../../../engine/run/version.ts'
import { requirement } from '../../../spec/requirements.ts'
import { rcodes } from '../../rules/dns-records.ts'
import { tableFor } from '../dns-view.ts'
import type { DnsReply, Facts, Probe } from '../facts.ts'
import { hostAndPort, questionKey, resolverParts, serverOf } from '../facts.ts'
import type { DnsGround } from '../result.ts'
import { certificateChecks, isSeenByCurl } from './judge-certificate.ts'
import { type Finding, judge } from './judge-domain.ts'

const urlOf = (probe: Probe): string => `${probe.scheme}://${hostAndPort(probe)}${probe.path}`

/** @param trust `-k`, if a wrong certificate must not prevent the request */
const curlOf = (probe: Probe, trust = ' -k'): string => {
  const { sni, host, port, address, method } = probe
  const head = method === 'HEAD' ? ' --head' : ''
  // With another name in the handshake, the Host header is set separately.
  const header = sni === host ? '' : ` -H ${quoted(`Host: ${host}`)}`
  const to = quoted(`${sni}:${port}:${inBrackets(address)}`)
  const url = quoted(urlOf({ ...probe, host: sni }))
  return `curl -sSi${trust}${head} --resolve ${to}${header} ${url}`
}

const inBrackets = (address: string): string => (isIPv6(address) ? `[${address}]` : address)

/** Shows what is wrong with a certificate: curl if it refuses it, else its names and dates. */
const certificateCommand = (probe: Probe, command: RunCommand | null): string => {
  const ca = command?.arguments.find(([flag]) => flag === '--ca-file')?.[1]
  const { address, port, sni } = probe
  const to = `-connect ${quoted(`${inBrackets(address)}:${port}`)} -servername ${quoted(sni)}`
  return isSeenByCurl(probe)
    ? curlOf(probe, ca === undefined ? '' : ` --cacert ${quoted(ca)}`)
    : `openssl s_client ${to} </dev/null 2>/dev/null | ` +
        'openssl x509 -noout -subject -dates -ext subjectAltName'
}

const exchangeOf = (probe: Probe): Pick<Evidence, 'request' | 'response' | 'noResponse'> => {
  const { method, host, response, failed } = probe
  return {
    request: { method, url: urlOf(probe), headers: [['host', host]], body: null },
    response: response && (({ status, headers, body }) => ({ status, headers, body }))(response),
    ...(failed && { noResponse: failed.code }),
  }
}

const dnsRequest = (name: string, type: string, resolver: string) => ({
  method: 'DNS',
  url: `dns://${resolver}/${name}?type=${type}`,
  headers: [],
})

/** The status is the response code of DNS. */
const dnsResponse = (reply: DnsReply | undefined): Evidence['response'] => {
  if (!reply || 'failed' in reply) return null
  const { rcode, answers } = reply
  const lines = answers.map((each) => `${each.name}. ${each.ttl} IN ${each.type} ${each.data}`)
  return { status: rcodes.indexOf(rcode), headers: [], body: [rcode, ...lines, ''].join('\n') }
}

const allProbes = ({ probes, removal }: Facts) => [...(removal?.before ?? []), ...probes]

const lookUp = ({ dns }: Facts, { name, type, server }: DnsGround) => {
  const own = dns.filter((each) => server === undefined || serverOf(each) === server)
  const { resolver, replies } = tableFor(own, name, type)
  return { resolver, reply: replies[questionKey(name, type)] }
}

const evidenceOf = (
  facts: Facts,
  check: string,
  ground: Finding['grounds'][number],
  command: RunCommand | null,
): Evidence => {
  if ('purpose' in ground) {
    const seq = allProbes(facts).indexOf(ground) + 1
    const isOfCertificate = certificateChecks.some(({ id }) => id === check)
    const curl = isOfCertificate ? certificateCommand(ground, command) : curlOf(ground)
    return { seq, ...exchangeOf(ground), curl }
  }
  const { name, type } = ground
  const { resolver, reply } = lookUp(facts, ground)
  const { address, port } = resolverParts(resolver)
  const request = { ...dnsRequest(name, type, resolver), body: null }
  const curl = `dig @${address} -p ${port} ${quoted(name)} ${type}`
  return { seq: 0, request, response: dnsResponse(reply), curl }
}

/** The lines of `exchanges.ndjson`: the requests by their numbers, and then the DNS. */
export const exchangeLines = (facts: Facts): string[] => {
  const probes = allProbes(facts).map((probe, index) => {
    const { at, purpose: check, address, sni, tls, ms } = probe
    return { seq: index + 1, at, check, key: null, address, sni, ...exchangeOf(probe), tls, ms }
  })
  const lookups = facts.dns.flatMap(({ resolver, replies }) =>
    Object.entries(replies).map(([key, reply]) => {
      const [name = '', type = ''] = key.split(' ')
      const request = dnsRequest(name, type, resolver)
      return { seq: 0, at: facts.at, check: 'dns', key: null, request, reply }
    }),
  )
  return [...probes, ...lookups].map((line) => JSON.stringify(line))
}

const violations = { must: 'fail', should: 'warn', open: 'observed' } as const

const resultOf = (facts: Facts, finding: Finding, command: RunCommand | null): CheckResult => {
  const { check, host, requirement: broken } = finding
  const { kind, blockedBy: by, ...said } = finding.result
  const { level } = requirement(broken)
  const grounds = kind === 'inapplicable' ? [] : finding.grounds
  // Others judge the same requests, so this is the time of the evidence.
  const sent = grounds.map((each) => ('purpose' in each ? each : lookUp(facts, each).reply))
  const durationMs = sent.reduce((sum, each) => sum + (each?.ms ?? 0), 0)
  return {
    id: host === null ? check : `${check}@${host}`,
    ...{ requirement: broken, level, outcome: kind === 'breach' ? violations[level] : kind },
    ...said,
    ...(by !== undefined && { blockedBy: by.includes('@') ? by : `${by}@${host}` }),
    requests: 0,
    ...(durationMs > 0 && { durationMs }),
    evidence: grounds.map((ground) => evidenceOf(facts, check, ground, command)),
  }
}

/** @param given its command is null if no command line made the run */
export const toRunFile = (
  facts: Facts,
  given: { strict: boolean; interrupted: boolean; command: RunCommand | null },
): RunFile => {
  const { strict, interrupted, command } = given
  // What a domain is not (an apex, a redirect) is not worth a line for each domain.
  const checks = judge(facts)
    .filter(({ result, host }) => result.kind !== 'inapplicable' || host === null)
    .map((finding) => resultOf(facts, finding, command))
  const requirements = rollUp(checks)
  const plans = facts.settings.plan ?? []
  const observed = checks.filter(({ outcome }) => outcome === 'observed')
  return {
    ...{ schema: runFileSchema, petvet: version, interface: interfaceVersion, seed: 0 },
    ...{ startedAt: facts.at, durationMs: facts.durationMs },
    target: { baseUrl: `https://${facts.config.primary}`, plans: [plans].flat(), clock: false },
    ...(command && { command }),
    verdict: decideVerdict(checks, false, strict),
    interrupted,
    ...{ impossible: null, notes: [], decided: countDecided(requirements) },
    ...{ requests: allProbes(facts).length, requestsByKey: {}, checks, requirements },
    observations: Object.fromEntries(observed.map(({ id, detail }) => [id, detail])),
  }
}
