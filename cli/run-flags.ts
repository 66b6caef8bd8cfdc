// The flags of a run, as `check` and `plan` share them. They are read in target.ts.
import { formatNames } from './format-names.ts'

export const targetFlags = {
  'base-url': { type: 'string', describe: 'address of the API, version prefix included' },
  config: {
    type: 'string',
    requiresArg: true,
    describe: 'configuration file [petvet.config.yaml or .json, if there]; --no-config reads none',
  },
  key: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'PLAN=KEY, repeatable; a KEY of $NAME is read from the environment',
  },
  allow: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'what a run may do: write,exhaust,ban,day or none [reads only, more on loopback]',
  },
  clock: { type: 'string', requiresArg: true, describe: "address of the target's test clock" },
  description: {
    type: 'string',
    requiresArg: true,
    describe: 'address of the OpenAPI document that the target publishes',
  },
  category: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'a category known to exist, repeatable',
  },
  ca: {
    type: 'string',
    requiresArg: true,
    describe: "PEM file of certificates to trust besides the system's",
  },
  cert: {
    type: 'string',
    requiresArg: true,
    describe: 'client certificate: a PEM file, or PKCS#12, which holds its key too',
  },
  'cert-key': {
    type: 'string',
    requiresArg: true,
    describe: 'PEM file of its key [the file of --cert]',
  },
  'cert-passphrase': {
    type: 'string',
    requiresArg: true,
    describe: '$NAME: the passphrase of that key, read from the environment',
  },
  insecure: {
    type: 'boolean',
    describe: 'take any certificate of the target, for a test; the report says so',
  },
  proxy: {
    type: 'string',
    requiresArg: true,
    describe: 'address of an HTTP proxy, or $NAME [HTTPS_PROXY, HTTP_PROXY]; --no-proxy: none',
  },
  only: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'glob of the checks, sentences or suites to run',
  },
  skip: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'glob of the checks, sentences or suites to leave out',
  },
} as const

export const runFlags = {
  seed: { type: 'string', requiresArg: true, describe: 'seed of all that is generated [random]' },
  'max-requests': {
    type: 'string',
    requiresArg: true,
    describe: 'the most requests a run may send [10000]',
  },
  timeout: {
    type: 'string',
    requiresArg: true,
    describe: 'seconds to wait for an answer [10]',
  },
} as const

/** What becomes of a run. */
export const outputFlags = {
  out: {
    type: 'string',
    requiresArg: true,
    describe: 'folder for run.json and exchanges.ndjson [petvet-runs/<time>]',
  },
  report: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: `further formats to write beside run.json: ${formatNames.join(', ')}`,
  },
  known: { type: 'string', requiresArg: true, describe: 'file of known failures' },
  'update-known': { type: 'boolean', describe: 'write what fails now into the file of --known' },
  strict: { type: 'boolean', describe: 'leave no must untested: exit 4 where one is' },
  verbose: {
    type: 'boolean',
    describe: 'tell failures, warnings, observations and what is untested in full',
  },
  quiet: { type: 'boolean', describe: 'only a verdict line, on standard error' },
  json: { type: 'boolean', describe: 'only the run file, on standard output' },
} as const

/** How a target is reached. */
export interface ReachFlags {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly 'cert-key'?: string | undefined
  readonly 'cert-passphrase'?: string | undefined
  readonly insecure?: boolean | undefined
  /** False: none, whatever the environment names. */
  readonly proxy?: string | false | undefined
}

/** What these flags come to once they are parsed; a flag that is not there is undefined. */
export interface TargetFlags extends ReachFlags {
  readonly 'base-url': string | undefined
  readonly config: string | false | undefined
  readonly key: string[] | undefined
  readonly allow: string[] | undefined
  readonly clock: string | undefined
  readonly description: string | undefined
  readonly category: string[] | undefined
}

export interface RunFlags extends TargetFlags {
  readonly seed: string | undefined
  readonly 'max-requests': string | undefined
  readonly timeout: string | undefined
}

export interface OutputFlags {
  readonly out: string | undefined
  readonly report: string[] | undefined
  readonly known: string | undefined
  readonly 'update-known': boolean | undefined
  readonly strict: boolean | undefined
  readonly verbose: boolean | undefined
  readonly quiet: boolean | undefined
  readonly json: boolean | undefined
}
