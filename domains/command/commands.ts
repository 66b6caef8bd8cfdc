// `petvet domains`: a published project's domains, in DNS, TLS and HTTP.
import { command, commandGroup } from '../../cli/command.ts'
import { outputFlags } from '../../cli/run-flags.ts'
import { askedFlags, factsFlags, file, platform, text, texts } from './flags.ts'

const lint = command({
  usage: 'lint',
  says: 'hold the file of the domains against its schema; asks no network',
  positions: [],
  options: { domains: file },
  run: async (given) => (await import('./run-plan.ts')).runLint(given),
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
