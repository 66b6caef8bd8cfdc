// The command line: all commands, and how one of them runs and ends in an exit code.

import { UsageError } from '../config/values.ts'
import { version } from '../engine/run/version.ts'
import { WriteFault } from '../reports/run-folder.ts'
import { cut, visible } from '../reports/visible.ts'
import { type CommandEntry, domainsPackages, prismPackages } from './command.ts'

const domainsFlags = '--domains domains.yaml --platform-host sites.platform.example'

/** In the order in which help lists them. */
export const commands: readonly CommandEntry[] = [
  {
    usage: 'demo',
    describe: "run the checks on petvet's own reference server, with the Prism mock as a baseline",
    examples: ['demo', 'demo --only list --report html'],
    load: async () => (await import('./commands/demo.ts')).demo,
  },
  {
    usage: 'check [base-url]',
    describe: 'run the checks against a server',
    examples: [
      "check http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY'",
      "check https://staging.example.com/v1 --key 'free=$FREE_KEY' --allow write --strict",
      'check --only list-limit-most --no-wait',
    ],
    load: async () => (await import('./commands/check.ts')).check,
  },
  {
    usage: 'load [base-url]',
    describe:
      'run the load scenarios, driven by autocannon, or plan and judge a load by Locust; without ' +
      'a target, against the reference',
    examples: [
      "load http://127.0.0.1:8080/v1 --key 'free=$FREE_KEY'",
      'load --scenario steady --duration 60',
      "load http://127.0.0.1:8080/v1 --key 'pro=$PRO_KEY' --to locust --out plan",
      'load --from plan',
    ],
    load: async () => (await import('./commands/load.ts')).load,
  },
  {
    usage: 'judge [files..]',
    describe: 'judge recorded traffic, HAR files or the record of a run; sends nothing',
    examples: [
      'judge session.har',
      "judge e2e.har.gz --base https://staging.example.com/v1 --key 'free=$FREE_KEY' --alone",
      'judge petvet-runs/OLD',
    ],
    load: async () => (await import('./commands/judge.ts')).judge,
  },
  {
    usage: 'serve',
    describe: 'start the reference server',
    examples: [
      'serve --port 8080 --clock 8081 --keys free=key-1,free=key-2',
      'serve --mutant list-limit-ignored',
    ],
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    usage: 'mock',
    describe: 'start the Prism mock of the OpenAPI document',
    examples: ['mock --port 4010'],
    packages: prismPackages,
    load: async () => (await import('./commands/serve.ts')).mock,
  },
  {
    usage: 'mutants',
    describe: 'prove that every check can fail: run the checks on all mutants and legal variants',
    examples: ['mutants --list', 'mutants --only list-limit-ignored'],
    load: async () => (await import('./commands/mutants.ts')).mutants,
  },
  {
    usage: 'plan [base-url]',
    describe: 'print what a run would cost: requests, duration, share of the quota; sends nothing',
    examples: ['plan', "plan https://staging.example.com/v1 --key 'free=$FREE_KEY' --allow write"],
    load: async () => (await import('./commands/plan.ts')).plan,
  },
  {
    usage: 'list',
    describe: 'list the requirements and their checks, with what each check sends and needs',
    examples: ['list', 'list --only list --level must'],
    load: async () => (await import('./commands/explain.ts')).list,
  },
  {
    usage: 'explain <id>',
    describe: 'explain a requirement or a check: how it is judged and proven',
    examples: ['explain list-limit-most', 'explain "day-*"'],
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  {
    usage: 'report <run>',
    describe: 'print a finished run, or write it in other formats',
    examples: ['report petvet-runs', 'report petvet-runs --as html'],
    load: async () => (await import('./commands/report.ts')).report,
  },
  {
    usage: 'domains <command>',
    describe: "check a published project's own domains, over DNS, TLS and HTTP",
    packages: domainsPackages,
    commands: [
      {
        usage: 'lint',
        describe: 'validate the file of the domains; uses no network',
        examples: ['domains lint --domains domains.yaml'],
        load: async () => (await import('./commands/domains/check.ts')).lint,
      },
      {
        usage: 'plan',
        describe: 'print the DNS record that each domain needs, and what a check would send',
        examples: [`domains plan ${domainsFlags}`],
        load: async () => (await import('./commands/domains/check.ts')).plan,
      },
      {
        usage: 'check',
        describe: 'check every domain once, over DNS, TLS and HTTP',
        examples: [`domains check ${domainsFlags} --marker my-project`],
        load: async () => (await import('./commands/domains/check.ts')).check,
      },
      {
        usage: 'watch',
        describe: 'repeat the check until DNS or certificates are ready, or a domain is gone',
        examples: [`domains watch ${domainsFlags} --until dns`],
        load: async () => (await import('./commands/domains/watch.ts')).watch,
      },
      {
        usage: 'removed',
        describe:
          'keep connections open while you remove a domain, and check that it is not served',
        examples: [`domains removed ${domainsFlags} --host docs.example.org`],
        load: async () => (await import('./commands/domains/watch.ts')).removed,
      },
      {
        usage: 'demo',
        describe: 'publish a project on loopback until Ctrl-C, to try the checks on',
        examples: ['domains demo --mutant cname-typo'],
        load: async () => (await import('./commands/domains/demo.ts')).demo,
      },
    ],
  },
  {
    usage: 'compare <old> <new>',
    describe: 'print what got better, worse, or changed from one run to another; exit 1 if worse',
    examples: ['compare petvet-runs/OLD petvet-runs/NEW'],
    load: async () => (await import('./commands/report.ts')).compare,
  },
  {
    usage: 'init [base-url]',
    describe: 'write a configuration file and a CI workflow',
    examples: ['init', 'init https://staging.example.com/v1 --plan free --plan free --ci github'],
    load: async () => (await import('./commands/init.ts')).init,
  },
]

/** @returns the exit code */
export const main = async (argv: string[]): Promise<number> => {
  process.stdout.on('error', ignoreClosedPipe)
  // Standard error carries no results: the run continues without a reader.
  process.stderr.on('error', () => {})
  try {
    const { parse } = await import('./parser.ts')
    return await parse(argv, version, commands, process.stdout.columns)
  } catch (error) {
    const { message, syscall } = error as NodeJS.ErrnoException
    const isUsage = error instanceof UsageError || syscall === 'uv_cwd'
    if (!isUsage && !(error instanceof WriteFault)) throw error
    // It may repeat what was typed: shortened, and without control characters.
    const printable = cut(message.split('\n').map(visible).join('\n'), 2_000)
    process.stderr.write(`petvet: ${printable}\n`)
    return isUsage ? 2 : 3
  }
}

/** A reader of our output may stop reading (`petvet list | head`); the exit code still counts. */
const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE') return
  // A result that cannot be printed is no verdict about the target.
  process.stderr.write(`petvet: cannot write to standard output: ${error.code}\n`)
  process.exit(3)
}
