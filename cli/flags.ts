// The flags that several commands share.
import schema from '../config/config.schema.json' with { type: 'json' }
import { type Config, findConfig, type Settings, settingsOf } from '../config/config-file.ts'
import { splitKey } from '../config/given-keys.ts'
import type { RunCommand } from '../engine/check/run-file.ts'
import * as cli from './command.ts'

/** The names of the report formats, so that help loads none of them. */
export const formatNames = ['html', 'markdown', 'junit', 'github', 'badge', 'known', 'sh'] as const

const { properties: members } = schema
const { cert, key, passphrase } = members.clientCertificate.properties

/** What the schema of the configuration says of a member: its flag says the same. */
const says = ({ description }: { readonly description: string }): string =>
  description.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()).replace(/\.$/, '')

const numberOf = (member: typeof members.seed) =>
  cli.number(says(member), { min: member.minimum, max: member.maximum })

export const targetFlags = {
  'base-url': cli.argument(says(members.target)),
  ...cli.grouped('Target:', {
    config: cli.text(
      'configuration file [default: petvet.config.yaml, .yml or .json, in this folder or a ' +
        'parent]; --no-config for none',
      { isNegatable: true },
    ),
    key: cli.texts(
      'PLAN=KEY, repeatable: the plan of a key (free, pro, business) and the key; a KEY of $NAME ' +
        'is read from the environment',
    ),
    clock: cli.text(says(members.clock)),
    description: cli.text(says(members.description)),
    category: cli.texts(says(members.categories)),
  }),
  ...cli.grouped('Permissions:', { allow: cli.texts(says(members.allow)) }),
  ...cli.grouped('Connection:', {
    ca: cli.text(says(members.ca)),
    cert: cli.text(says(cert)),
    'cert-key': cli.text(says(key), { implies: 'cert' }),
    'cert-passphrase': cli.text(says(passphrase), { implies: 'cert' }),
    insecure: cli.toggle(says(members.insecure)),
    proxy: cli.text(`${says(members.proxy)}; for none: --no-proxy`, { isNegatable: true }),
  }),
} as const

/** Flags of a run of the checks: of `check` and `demo`; other commands have some of them. */
export const runFlags = cli.grouped('What to run:', {
  only: cli.texts(
    'globs of checks, requirements or suites to run: a,b (`petvet list` prints their ids)',
  ),
  skip: cli.texts('globs of checks, requirements or suites to leave out'),
  wait: cli.toggle(
    'wait for quotas [default]; with --no-wait, checks that would have to wait are untested (a ' +
      'test clock avoids waiting)',
  ),
  bail: cli.toggle('end at the first failure'),
  walk: numberOf(members.walk),
  'max-time': cli.seconds(
    'seconds that the run may last [default: 7200]; checks that are left then are untested',
    { min: 1, max: 604_800 },
  ),
  seed: numberOf(members.seed),
  'max-requests': numberOf(members.maxRequests),
  'wait-for-target': cli.seconds(
    'seconds to wait for a target that refuses connections or responds 502 to 504 [default: 0]',
    { min: 0, max: 3_600 },
  ),
  timeout: cli.seconds('seconds to wait for a response [default: 10]', { min: 0.1, max: 600 }),
})

export const outputFlags = cli.grouped('Output:', {
  out: cli.text('folder for run.json and all else [default: petvet-runs/<time>]'),
  report: cli.texts(`additional formats to write next to run.json: ${formatNames.join(', ')}`),
  known: cli.text('file of known failures: these checks may fail without failing the run'),
  strict: cli.toggle('exit 4 in place of 0 if any must is untested, for whatever reason'),
  verbose: cli.toggle('print failures, warnings, observations and untested checks in full'),
  quiet: cli.toggle('print only a verdict line, on standard error', {
    conflicts: ['json', 'verbose'],
  }),
  json: cli.toggle('print only the run file, on standard output'),
})

export type OutputFlags = Partial<cli.Given<typeof outputFlags>>
export type CheckFlags = Partial<cli.Given<typeof targetFlags & typeof runFlags>> &
  OutputFlags & { readonly resume?: string | undefined }

const repeated: cli.FlagTable = { ...targetFlags, ...runFlags }

/** @throws UsageError where a journal was edited */
const flagIn = ([word = '', value]: readonly string[]): [string, unknown] => {
  const [, no, name] = /^--(no-)?(.+)$/.exec(word) ?? []
  if (name === undefined) return ['base-url', word]
  const read = repeated[name]?.read
  return [name, read && value ? read(word, value) : (value ?? no === undefined)]
}

/** The flags of a recorded command, as the parser gives them. */
const flagsOf = (command: RunCommand | null | undefined): CheckFlags => {
  const given = (command?.arguments ?? []).map(flagIn).filter(([name]) => name in repeated)
  const byName = [...Map.groupBy(given, ([name]) => name)].map(([name, all]) => {
    const values = all.map(([, value]) => value)
    return [name, repeated[name]?.array ? values : values.at(-1)]
  })
  return Object.fromEntries(byName)
}

/** The flags of an earlier run, and those that are given anew, which win. @throws UsageError */
export const flagsAgain = (
  command: RunCommand | null | undefined,
  given: CheckFlags,
): CheckFlags => {
  const anew = Object.entries(given).filter(([, value]) => value !== undefined)
  // A given certificate replaces the earlier one with its key.
  const own = given.cert ? { 'cert-key': undefined, 'cert-passphrase': undefined } : {}
  return { ...flagsOf(command), ...own, ...Object.fromEntries(anew) }
}

/** What flags say, as members of the configuration file. */
const configIn = (flags: CheckFlags): Config => {
  const { clock, description, allow, category, ca, cert, insecure, proxy, seed, walk } = flags
  const given = {
    target: flags['base-url'],
    keys: flags.key?.map((each) => splitKey(each, '--key')),
    categories: category,
    clientCertificate: cert && {
      cert,
      key: flags['cert-key'],
      passphrase: flags['cert-passphrase'],
    },
    maxRequests: flags['max-requests'],
    ...{ clock, description, allow, ca, insecure, proxy, seed, walk },
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** All that flags and the configuration file say. @param folder the current one */
export const readSettings = (flags: CheckFlags, folder: string): Settings =>
  settingsOf(configIn(flags), findConfig(flags.config, folder), folder)

const milliseconds = (seconds: number | undefined) => seconds && Math.round(seconds * 1_000)

/** What a run does, besides what its settings say. */
export const choiceIn = (flags: CheckFlags) => ({
  only: flags.only,
  skip: flags.skip,
  bail: flags.bail,
  strict: flags.strict,
  noWait: flags.wait === false,
  responseTimeoutMs: milliseconds(flags.timeout),
  maxTimeMs: milliseconds(flags['max-time']),
  waitForTargetMs: milliseconds(flags['wait-for-target']),
})
