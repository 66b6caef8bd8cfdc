// Every command of the package, and its output when installed.

export interface Command {
  readonly args: readonly string[]
  readonly code: number
  /** What is on standard output, and on standard error. */
  readonly says: readonly [out: RegExp, err: RegExp]
  /** It runs until it is interrupted, after it has printed this. */
  readonly stays?: true
}

const nothing = /^$/
/** Progress and prompts, but no stack trace. */
const words = /^(?!.*\n {4}at )/s
const conformant = /^petvet: \S+: (?:conformant|no violations found)[^\n]*\n$/

/** In this order: some read what others have written. */
export const commands: readonly Command[] = [
  {
    args: ['demo', '--only', 'list-*', '--seed', '7', '--out', 'one', '--no-mock', '--quiet'],
    code: 0,
    says: [nothing, conformant],
  },
  {
    args: ['demo', '--only', 'list-*', '--seed', '7', '--out', 'two', '--no-mock', '--quiet'],
    code: 0,
    says: [nothing, conformant],
  },
  { args: ['report', 'one', '--as', 'junit'], code: 0, says: [/<testsuites? /, nothing] },
  {
    args: ['report', 'one', '--as', 'html,markdown,ctrf', '--out', 'reports'],
    code: 0,
    says: [nothing, /^petvet: file:.*report\.html\n$/],
  },
  { args: ['compare', 'one', 'two'], code: 0, says: [/./, nothing] },
  { args: ['list'], code: 0, says: [/list-limit-most/, nothing] },
  { args: ['explain', 'list-limit-most'], code: 0, says: [/At most `limit` pets/, nothing] },
  {
    args: ['plan', 'http://127.0.0.1:9/v1', '--key', 'free=a-made-up-key'],
    code: 0,
    says: [/Estimated duration/, nothing],
  },
  {
    args: ['load', '--scenario', 'fleet', '--no-mock', '--out', 'load', '--quiet'],
    code: 0,
    says: [nothing, conformant],
  },
  {
    args: ['mutants', '--only', 'error-code-number'],
    code: 0,
    says: [/^killed +error-code-number/m, words],
  },
  {
    args: ['init', 'http://127.0.0.1:8080/v1', '--plan', 'free', '--ci', 'github'],
    code: 0,
    says: [/petvet\.config\.yaml/, words],
  },
  { args: ['completion'], code: 0, says: [/petvet/, nothing] },
  { args: ['serve', '--port', '0'], code: 0, says: [/^petvet: api http/, nothing], stays: true },
]
