// `petvet domains`: a published project's domains, in DNS, TLS and HTTP.
import { command, commandGroup } from '../../cli/command.ts'
import { outputFlags } from '../../cli/run-flags.ts'

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const
const texts = (describe: string) =>
  ({ type: 'string', array: true, requiresArg: true, describe }) as const

const file = text('file of the domains: primary and redirects, in YAML or JSON')
const platform = text('where domains point to: the {platform_host} of the interface')

const askedFlags = {
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

const factsFlags = {
  'facts-out': text('file for what was seen, to be judged again'),
  attest: text('file of what a person saw in the dashboard'),
} as const

const lint = command({
  usage: 'lint',
  says: 'hold the file of the domains against its schema; asks no network',
  positions: [],
  options: { domains: file },
  run: async (given) => (await import('./run-lint.ts')).runLint(given),
})

const plan = command({
  usage: 'plan',
  says: 'the DNS record that each domain needs, and what a check would send',
  positions: [],
  options: { domains: file, 'platform-host': platform },
  run: async (given) => (await import('./run-plan.ts')).runPlan(given),
})

const check = command({
  usage: 'check',
  says: 'look at every domain once, in DNS, TLS and HTTP, and judge it',
  positions: [],
  options: {
    ...askedFlags,
    ...factsFlags,
    facts: text('judge what was seen before, from this file; asks no network'),
    ...outputFlags,
  },
  run: async (given) => (await import('./run-check.ts')).runDomainsCheck(given),
})

const watch = command({
  usage: 'watch',
  says: 'look again and again until the DNS or the certificates are there; presses nothing',
  positions: [],
  options: {
    ...askedFlags,
    ...factsFlags,
    until: text('dns, certificate or gone [certificate]'),
    interval: text('seconds between two looks [30]'),
    for: text('minutes after which it ends [35]'),
    ...outputFlags,
  },
  run: async (given) => (await import('./run-watch.ts')).runWatch(given),
})

const removed = command({
  usage: 'removed',
  says: 'hold connections, wait for a domain to be removed, and see that nothing is served',
  positions: [],
  options: {
    ...askedFlags,
    ...factsFlags,
    host: text('the domain that is to be removed'),
    signal: text('file that says by being there that it was removed [Enter on standard input]'),
    ...outputFlags,
  },
  run: async (given) => (await import('./run-removed.ts')).runRemoved(given),
})

const demo = command({
  usage: 'demo',
  says: 'publish a project on loopback: DNS, authority, edge, and a dashboard on standard input',
  positions: [],
  options: {
    mutant: text('with the fault of a mutant, or as a legal variant, by its id'),
    policy: texts('what it does where the interface is silent, KEY=CHOICE; "list" tells them'),
  },
  run: async (given) => (await import('./run-demo.ts')).runDemo(given),
})

export const domains = commandGroup(
  'domains',
  "a published project's domains: lint, plan, check, watch, removed, demo",
  [lint, plan, check, watch, removed, demo],
)
