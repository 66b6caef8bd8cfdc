// The flags that several commands share.
import schema from '../config/config.schema.json' with { type: 'json' }
import { type Config, findConfig, type Settings, settingsOf } from '../config/config-file.ts'
import { splitKey } from '../config/given-keys.ts'
import type { RunCommand } from '../engine/check/run-file.ts'
import {
  argument,
  type FlagTable,
  type Given,
  grouped,
  number,
  seconds,
  text,
  texts,
  toggle,
} from './command.ts'

/** The names of the report formats, so that help loads none of them. */
export const formatNames = ['html', 'markdown', 'junit', 'github', 'badge'] as const

const { properties: members } = schema
const { cert, key, passphrase } = members.clientCertificate.properties

/** What the schema of the configuration says of a member: its flag says the same. */
const says = ({ description }: { readonly description: string }): string =>
  description.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()).replace(/\.$/, '')

const numberOf = (member: typeof members.seed) =>
  number(says(member), { min: member.minimum, max: member.maximum })

export const targetFlags = {
  'base-url': argument(says(members.target)),
  ...grouped('Target:', {
    config: text(
      'configuration file [default: petvet.config.yaml, .yml or .json, in this folder or a ' +
        'parent]; --no-config for none',
      { isNegatable: true },
    ),
    key: texts(
      'PLAN=KEY, repeatable: the plan of a key (free, pro, business) and the key; a KEY of $NAME ' +
        'is read from the environment',
    ),
    clock: text(says(members.clock)),
    description: text(says(members.description)),
    category: texts(says(members.categories)),
  }),
  ...grouped('Permissions:', { allow: texts(says(members.allow)) }),
  ...grouped('Connection:', {
    ca: text(says(members.ca)),
    cert: text(says(cert)),
    'cert-key': text(says(key), { implies: 'cert' }),
    'cert-passphrase': text(says(passphrase), { implies: 'cert' }),
    insecure: toggle(says(members.insecure)),
    proxy: text(`${says(members.proxy)}; for none: --no-proxy`, { isNegatable: true }),
  }),
} as const

export const selectionFlags = grouped('What to run:', {
  only: texts(
    'globs of checks, requirements or suites to run: a,b (`petvet list` prints their ids)',
  ),
  skip: texts('globs of checks, requirements or suites to leave out'),
})

export const runFlags = grouped('What to run:', {
  seed: numberOf(members.seed),
  'max-requests': numberOf(members.maxRequests),
  timeout: seconds('seconds to wait for a response [default: 10]', { min: 0.1, max: 600 }),
})

/** Flags of a run of the checks: of `check` and `demo`. */
export const suiteFlags = grouped('What to run:', {
  wait: toggle(
    'wait for quotas [default]; with --no-wait, checks that would have to wait are untested (a ' +
      'test clock avoids waiting)',
  ),
  bail: toggle('end at the first failure'),
  walk: numberOf(members.walk),
  'max-time': seconds(
    'seconds that the run may last [default: 7200]; checks that are left then are untested',
    { min: 1, max: 604_800 },
  ),
})

export const outputFlags = grouped('Output:', {
  out: text('folder for run.json and all else [default: petvet-runs/<time>]'),
  report: texts(`additional formats to write next to run.json: ${formatNames.join(', ')}`),
  known: text('file of known failures: these checks may fail without failing the run'),
  strict: toggle('exit 4 in place of 0 if any must is untested, for whatever reason'),
  verbose: toggle('print failures, warnings, observations and untested checks in full'),
  quiet: toggle('print only a verdict line, on standard error', {
    conflicts: ['json', 'verbose'],
  }),
  json: toggle('print only the run file, on standard output'),
})

export type OutputFlags = Partial<Given<typeof outputFlags>>
type RunFlags = Partial<Given<typeof runFlags & typeof selectionFlags & typeof suiteFlags>>
export type CheckFlags = Partial<Given<typeof targetFlags>> &
  RunFlags &
  OutputFlags & { readonly resume?: string | undefined }

const repeated: FlagTable = { ...targetFlags, ...selectionFlags, ...suiteFlags, ...runFlags }

/** @throws UsageError where a journal was edited */
const flagIn = ([word = '', value]: readonly string[]): [string, unknown] => {
  if (!word.startsWith('--')) return ['base-url', word]
  if (word.startsWith('--no-')) return [word.slice('--no-'.length), false]
  const name = word.slice('--'.length)
  const read = repeated[name]?.read
  return [name, read && value ? read(word, value) : (value ?? true)]
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
})
