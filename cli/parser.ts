// The door of yargs: the commands as it is told of them, and its mistakes in our words.

import type { Command } from './command.ts'
import { mistakeOf, valueOfSwitch } from './mistake.ts'
import { UsageError } from './usage-error.ts'
import { type Argv, type Options, yargs } from './yargs.ts'

type Run = (command: Command, given: unknown) => Promise<void>

/**
 * Runs the command that is named.
 * @param columns of the terminal; undefined where there is none
 * @returns its exit code
 * @throws UsageError with one line that says what to do
 */
export const parse = async (
  argv: readonly string[],
  version: string,
  commands: readonly Command[],
  columns: number | undefined,
): Promise<number> => {
  let code: number | undefined
  // `npx petvet -- check` is meant as it would be without the dashes.
  const words = argv[0] === '--' ? argv.slice(1) : argv
  const isCompletion = words[0] === '--get-yargs-completions'
  const parser = parserOf(words, version, commands, columns, async (command, given) => {
    if (!isCompletion) code = await command.run(given)
  })
  if (isCompletion) {
    // A line that is still being typed has mistakes: only the candidates are printed.
    await parser.parseAsync().catch(() => {})
    return 0
  }
  const idle = valueOfSwitch(words, commands)
  if (idle !== undefined) throw new UsageError(`${idle} is on where it is named: it takes no value`)
  // What follows them would be passed over, a base-url too.
  if (words.includes('--')) throw new UsageError('unexpected "--" after the command: remove it')
  const given = await parser.parseAsync()
  if (code !== undefined) return code
  const isTold = given.help || given.version || ['help', 'completion'].includes(String(given._[0]))
  if (isTold) return 0
  // What did not run is never green.
  throw new UsageError(mistakeOf('Not enough non-option arguments: got 0', words, commands))
}

const addTo = (parser: Argv, command: Command, run: Run): void => {
  const { usage, says, options, positions, commands } = command
  const declare = (own: Argv) => {
    for (const each of commands) addTo(own, each, run)
    if (commands.length > 0) own.demandCommand(1)
    for (const [name, option] of Object.entries(options)) {
      if (positions.includes(name)) own.positional(name, positional(name, option))
      else own.option(name, { ...option, coerce: soundly(`--${name}`, option) })
    }
    return own
  }
  parser.command(usage, says, declare, async (given) => {
    if (commands.length === 0) await run(command, given)
  })
}

const positional = (name: string, { type, describe, choices, array }: Options) => ({
  ...(type === 'string' && { type }),
  ...(choices !== undefined && { choices }),
  ...(describe !== undefined && { describe }),
  ...(!array && { coerce: soundly(name, { type }) }),
})

/** What is looked for where it is not named; `--no-` before them keeps it from being found. */
const foundUnasked = ['--config', '--proxy']

/** Holds against a value what yargs leaves unsaid. @throws UsageError */
const soundly =
  (flag: string, { type, array, requiresArg }: Options) =>
  (value: unknown): unknown => {
    if (Array.isArray(value) && !array) throw new UsageError(`${flag} is given more than once`)
    const values: unknown[] = Array.isArray(value) ? value : [value]
    if (requiresArg && values.includes('')) throw new UsageError(`${flag} needs a value`)
    // Without a configuration a run can be; without a key it is a run without that flag.
    if (type !== 'boolean' && !foundUnasked.includes(flag) && values.includes(false)) {
      throw new UsageError(`${flag.replace('--', '--no-')} is no flag: leave ${flag} out`)
    }
    return value
  }

/** As wide as the terminal, and no wider than a line is read with ease. */
const widthMost = 100

const parserOf = (
  argv: readonly string[],
  version: string,
  commands: readonly Command[],
  columns: number | undefined,
  run: Run,
): Argv => {
  const parser = yargs([...argv])
    .scriptName('petvet')
    .usage('$0 <command>\n\nVets a server against the Animal Store Service Interface.')
    .locale('en')
    // One value for each time an option is named, or `--key K URL` would swallow the address.
    .parserConfiguration({ 'greedy-arrays': false })
    .wrap(Math.min(columns || widthMost, widthMost))
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .recommendCommands()
    .demandCommand(1)
    .exitProcess(false)
  for (const each of commands) addTo(parser, each, run)
  parser.completion('completion', 'print a script that completes commands and flags in your $SHELL')
  return parser.fail((message, error) => {
    // What yargs itself throws is a YError, and so is what becomes of an error in `coerce`.
    if (error instanceof Error && error.name !== 'YError') throw error
    throw new UsageError(mistakeOf(error?.message ?? message, argv, commands))
  })
}
