// Parses the command line with yargs, and reports its mistakes in one line that says what to do.

import { didYouMean, nearest, UsageError } from '../config/values.ts'
import {
  type Argv,
  type CommandEntry,
  expectPackages,
  type Flag,
  type FlagTable,
  yargs,
} from './command.ts'

/** What the line names: a command, or a group and the command in it. */
interface Named {
  readonly words: readonly string[]
  readonly path: readonly CommandEntry[]
  /** With the name of the program: `petvet domains lint`. */
  readonly name: string
  readonly flags: FlagTable
}

const nameOf = ({ usage }: CommandEntry): string => usage.split(' ', 1)[0] ?? usage

/** The command that words name, and the group before it; flags between them are skipped. */
const pathIn = (words: readonly string[], commands: readonly CommandEntry[]): CommandEntry[] => {
  const names = commands.map(nameOf)
  const at = words.findIndex((word) => names.includes(word))
  const entry = commands[names.indexOf(words[at] ?? '')]
  return entry ? [entry, ...pathIn(words.slice(at + 1), entry.commands ?? [])] : []
}

/** The arguments without a name: `<old> <new>`. */
const argumentsOf = ({ usage }: CommandEntry): string[] =>
  [...usage.matchAll(/[<[]([\w-]+)/g)].map(([, name = '']) => name)

/**
 * @param columns of the terminal; undefined where there is none
 * @returns the exit code of the command that is named
 * @throws UsageError with one line that says what to do
 */
export const parse = async (
  argv: readonly string[],
  version: string,
  commands: readonly CommandEntry[],
  columns: number | undefined,
): Promise<number> => {
  // `npx petvet -- check` means the same without the dashes.
  const words = argv[0] === '--' ? argv.slice(1) : argv
  const path = pathIn(words, commands)
  const command = await path.at(-1)?.load?.()
  const name = ['petvet', ...path.map(nameOf)].join(' ')
  const named = { words, path, name, flags: command?.flags ?? {} }
  const isCompletion = words[0] === '--get-yargs-completions'
  let code: number | undefined
  const parser = parserOf(version, columns, named)
  declare(parser, commands, named, async (given) => {
    if (isCompletion) return
    const packages = path.flatMap((entry) => entry.packages ?? [])
    expectPackages(path.map(nameOf).join(' '), packages)
    code = await command?.run(given)
  })
  parser.completion('completion', 'print a script that completes commands and flags in your $SHELL')
  if (isCompletion) {
    // A line that is still being typed has mistakes: only the candidates are printed.
    await parser.parseAsync().catch(() => {})
    return 0
  }
  refuseUnread(named, commands)
  const given = await parser.parseAsync()
  if (code !== undefined) return code
  const isPrinted = given.help || given.version || ['help', 'completion'].includes(`${given._[0]}`)
  if (isPrinted) return 0
  // A command that did not run must never look like success.
  throw new UsageError(mistakeOf('Not enough non-option arguments: got 0', named))
}

/** Refuses what yargs passes over: it prints its whole help for `nosuch --help`. */
const refuseUnread = (
  { words, path, name, flags }: Named,
  commands: readonly CommandEntry[],
): void => {
  const last = path.at(-1)
  const known = last ? (last.commands ?? []) : commands
  const word = words[last ? words.indexOf(nameOf(last)) + 1 : 0] ?? '-'
  const isOwn = last === undefined && ['help', 'completion'].includes(word)
  if (known.length > 0 && !word.startsWith('-') && !isOwn) {
    const hint = didYouMean(word, known.map(nameOf), `see "${name} --help"`)
    throw new UsageError(`unknown command${hint}`)
  }
  // It reads `--json=yes` as false.
  const valued = words.find((one) => /^--.*=/.test(one) && flags[nameIn(one)]?.type === 'boolean')
  if (valued) throw new UsageError(`--${nameIn(valued)} takes no value: write --${nameIn(valued)}`)
  // It ignores everything that follows, a base URL too.
  if (words.includes('--')) throw new UsageError('unexpected "--" after the command: remove it')
}

/** As wide as the terminal, and no wider than is easy to read. */
const maxColumns = 100

const parserOf = (version: string, columns: number | undefined, named: Named): Argv =>
  yargs([...named.words])
    .scriptName('petvet')
    .usage('$0 <command>\n\nTests a server against the Animal Store Service Interface.')
    .locale('en')
    // One value each time an option is named, or `--key K URL` would take the address too.
    .parserConfiguration({ 'greedy-arrays': false, 'camel-case-expansion': false })
    .wrap(Math.min(columns || maxColumns, maxColumns))
    .version(version)
    .help()
    .alias('help', 'h')
    .strict()
    .demandCommand(1)
    .exitProcess(false)
    .fail((message, error) => {
      // yargs throws a YError, and wraps an error of `coerce` into one.
      if (error instanceof Error && error.name !== 'YError') throw error
      throw new UsageError(mistakeOf(error?.message ?? message, named))
    })

/** Declares the named command, and of the others their line in the list. */
const declare = (
  parser: Argv,
  commands: readonly CommandEntry[],
  { path: [entry, ...path], ...named }: Named,
  run: (given: unknown) => Promise<void>,
): void => {
  for (const each of commands) {
    const { usage, describe, commands: inner } = each
    if (each !== entry) parser.command(usage, describe)
    else if (inner) {
      parser.command(usage, describe, (group) => {
        declare(group, inner, { ...named, path }, run)
        return group.demandCommand(1)
      })
    } else parser.command(usage, describe, (own) => declareFlags(own, each, named.flags), run)
  }
}

const declareFlags = (parser: Argv, entry: CommandEntry, flags: FlagTable): Argv => {
  for (const line of entry.examples ?? []) parser.example(`$0 ${line}`, '')
  for (const [name, flag] of Object.entries(flags)) {
    const { read, isNegatable, ...option } = flag
    if (argumentsOf(entry).includes(name)) {
      const { type, choices, describe } = option
      const form = { ...(type === 'string' && { type }), ...(choices && { choices }) }
      const coerce = checked(name, flag)
      parser.positional(name, { ...form, ...(describe && { describe }), coerce })
    } else parser.option(name, { ...option, coerce: checked(`--${name}`, flag) })
  }
  return parser
}

/** Refuses values that yargs lets through, and reads the others. @throws UsageError */
const checked =
  (flag: string, { type, array, requiresArg, isNegatable, read }: Flag) =>
  (value: unknown): unknown => {
    if (Array.isArray(value) && !array) throw new UsageError(`${flag} is given more than once`)
    const readOne = (one: unknown) => {
      if (requiresArg && one === '') throw new UsageError(`${flag} needs a value`)
      if (type !== 'boolean' && !isNegatable && one === false) {
        throw new UsageError(`unknown option ${flag.replace('--', '--no-')}: leave out ${flag}`)
      }
      return read && typeof one === 'string' ? read(flag, one) : one
    }
    return Array.isArray(value) ? value.map(readOne) : readOne(value)
  }

const nameIn = (word: string): string => word.replace(/^--?(no-)?/, '').split('=', 1)[0] ?? ''

/** @param message what yargs says of the mistake */
const mistakeOf = (message: string, named: Named): string => {
  const { path, name } = named
  const last = path.at(-1)
  const usage = [name.split(' ').slice(0, path.length).join(' '), last?.usage].join(' ')
  const lacksCommand = last === undefined || last.commands !== undefined
  const line = message.replace(/\s+/g, ' ').trim()
  const seeHelp = `; see "${name} --help"`
  if (line.startsWith('Not enough non-option')) {
    return lacksCommand ? `missing command${seeHelp}` : `missing argument; usage: ${usage}`
  }
  const option = /^Unknown |^Missing required/.test(line) ? unknownOption(named) : undefined
  if (option !== undefined) return option
  if (line.startsWith('Unknown ')) {
    // An unexpected word may be a key, and is not repeated.
    if (lacksCommand) return `unknown command${seeHelp}`
    return `too many arguments; usage: ${usage}; a value with spaces needs quotes`
  }
  // Our own messages pass through unchanged.
  return line
    .replace(/^Not enough arguments following: (\S+)$/, '--$1 needs a value')
    .replace(
      /^Arguments (\S+) and (\S+) are mutually exclusive$/,
      '--$1 and --$2 exclude each other',
    )
    .replace(/^Missing dependent arguments: (\S+) -> (\S+)$/, '--$1 needs --$2')
    .replace(/^Missing required arguments?: (.+)$/, (_, names: string) => {
      return `missing --${names.replaceAll(', ', ', --')}${seeHelp}`
    })
    .replace(
      /^Invalid values: Argument: (.+), Given: (.*), Choices: (.*)$/,
      '--$1 takes $3, not $2',
    )
}

const unknownOption = ({ words, path, name, flags }: Named) => {
  const unnamed = path.flatMap(argumentsOf)
  const known = [...Object.keys(flags), 'help', 'version'].filter((flag) => !unnamed.includes(flag))
  const isKnown = (word: string) => word.startsWith('--') && known.includes(nameIn(word))
  const word = words.find((each) => /^-\D/.test(each) && !isKnown(each))
  if (word === undefined) return undefined
  const [typed = ''] = word.split(/[=\s]/, 1)
  const meant = nearest(nameIn(typed), known)
  if (typed === `--${meant}`) return `${typed} and its value are one word; write ${typed}=VALUE`
  if (meant !== undefined) return `unknown option ${typed} for "${name}"; did you mean --${meant}?`
  // A key may be attached to the option: only its first letters are repeated.
  const start = /^--[a-z-]{0,30}|^-./i.exec(typed)?.[0]
  const shown = start === typed ? start : `${start}...`
  return `unknown option ${shown} for "${name}"; see "${name} --help"`
}
