// How each command ends well: run in the checkout, and where the package is installed.
import { folderWithRuns } from './petvet.ts'

/** An address on which nothing listens. */
export const nowhere = 'http://127.0.0.1:9/v1'
export const keyed = ['--key', 'free=key-1']
export const domains = ['--domains', 'domains.yaml', '--platform-host', 'edge.platform.test']

/** A folder with a run, an empty file, and a file of domains. */
export const furnished = (): string =>
  folderWithRuns(['run'], {
    file: '',
    'domains.yaml': 'domains: { primary: www.farm.test, redirects: [] }',
  })

/** Commands with their arguments: the flag of JSON where they have one. */
export const well: readonly (readonly [command: string, args: readonly string[]])[] = [
  ['demo', ['--no-mock', '--only', 'list-limit-most', '--json']],
  ['load', ['--scenario', 'steady', '--duration', '1', '--json']],
  ['mutants', ['--only', 'certificate-expired', '--json']],
  ['plan', ['--only', 'list-limit*', '--json']],
  ['list', ['--json']],
  ['explain', ['list-limit-most']],
  ['report', ['run', '--as', 'json']],
  ['report', ['run', '--as', 'html,markdown,junit', '--out', 'reports']],
  ['compare', ['run', 'run', '--json']],
  ['init', ['--ci', 'github']],
  ['domains lint', ['--domains', 'domains.yaml']],
  ['domains plan', domains],
]
