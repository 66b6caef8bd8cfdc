// The flags of `petvet domains`, as its commands share them.
import type { InferredOptionTypes } from '../../cli/yargs.ts'

export const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const
export const texts = (describe: string) =>
  ({ type: 'string', array: true, requiresArg: true, describe }) as const

export const file = text('file of the domains: primary and redirects, in YAML or JSON')
export const platform = text('where domains point to: the {platform_host} of the interface')

export const askedFlags = {
  domains: file,
  'platform-host': platform,
  'platform-address': texts('an address of the platform that its host does not tell, repeatable'),
  site: text('subdomain of the platform, such as https://slug.platform.example'),
  marker: text("a text that stands in the project's page and in no other"),
  path: text('where that page is [/]'),
  plan: text('plan of the project since the domain was added: free, pro, business, enterprise'),
  ca: texts("name of the platform's authority in CAA records, repeatable"),
  since: text('when the DNS was changed, ISO 8601: for 48 hours a mismatch is no failure'),
  'verified-at': text(
    'when Verify said yes, ISO 8601 [long ago]: a certificate may take 30 minutes',
  ),
  'allow-proxy': {
    type: 'boolean',
    describe: 'a proxy of yours may stand in front: what it hides is not failed',
  },
  'probe-foreign': {
    type: 'boolean',
    describe: "connect to addresses, too, that are not the platform's",
  },
  resolver: texts("DNS server as IP or IP:PORT, repeatable [the system's]"),
  'ca-file': text('certificate authority to trust besides the usual ones, in PEM'),
  'https-port': text('port of HTTPS [443]'),
  'http-port': text('port of plain HTTP [80]'),
} as const

export const factsFlags = {
  'facts-out': text('file for what was seen, to be judged again'),
  attest: text('file of what a person saw in the dashboard'),
} as const

export type AskedFlags = Partial<InferredOptionTypes<typeof askedFlags>>
export type FactsFlags = InferredOptionTypes<typeof factsFlags>
