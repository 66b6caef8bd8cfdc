// Published projects of which something cannot be told: DNS is silent, or fails.
import { platformHost, primary } from '../demo/customers.ts'
import type { DomainLegal } from '../demo/variant.ts'
import { caa } from './records.ts'

const docs = 'docs.farm.test'

const farm = (name: string) => name === docs || name === 'farm.test'

export const unsureAnswers: readonly DomainLegal[] = [
  {
    id: 'dns-silent',
    does: 'The DNS server of one zone says nothing.',
    untold: `domain-cname@${docs}`,
    dnsTimeoutMs: 100,
    dns: (name) => (farm(name) ? 'silent' : undefined),
  },
  {
    id: 'dns-servfail',
    does: 'The DNS server of one zone fails.',
    untold: `domain-cname@${docs}`,
    dns: (name) => (farm(name) ? 'SERVFAIL' : undefined),
  },
  {
    id: 'dns-refused',
    does: 'The DNS server refuses to speak of one zone.',
    untold: `domain-conflict@${docs}`,
    dns: (name) => (farm(name) ? 'REFUSED' : undefined),
  },
  {
    id: 'dns-platform-silent',
    does: 'Nothing can be told of the platform host.',
    untold: `domain-certificate@${primary}`,
    dns: (name) => (name === platformHost ? 'SERVFAIL' : undefined),
  },
  {
    id: 'dns-addresses-silent',
    does: 'The CNAME is told, and no addresses are.',
    untold: `domain-conflict@${docs}`,
    dns: (name, type) => (name === docs && type !== 'CNAME' ? 'SERVFAIL' : undefined),
  },
  {
    id: 'caa-servfail',
    does: 'CAA alone cannot be told, where no certificate is.',
    untold: `domain-caa@${docs}`,
    dns: (name, type) => (type === 'CAA' && farm(name) ? 'SERVFAIL' : undefined),
    leaf: () => null,
    credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
    verifiedMinutes: 1,
  },
  {
    id: 'caa-authority-unknown',
    does: 'CAA names an authority, and nobody says which is the platform’s.',
    untold: `domain-caa@${docs}`,
    authorities: [],
    laterZones: (all) => [...all, caa('farm.test', 0, 'issue', 'some-ca.test')],
    credentials: (honest, sni, _address, fallback) => (sni === docs ? fallback : honest),
    verifiedMinutes: 1,
  },
]
