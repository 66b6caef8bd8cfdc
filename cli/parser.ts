// Parses the command line with yargs, and reports its mistakes in one line that says what to do.

import { didYouMean, nearest, UsageError } from '../config/values.ts'
import {
  type Argv,
  type Command,
  type CommandEntry,
  expectPackages,
  type Flag,
  type FlagTable,
  yargs,
} from './command.ts'

/** A command that the line names, loaded; a group is followed by the command in it. */
interface Named {
  readonly entry: CommandEntry
  readonly loaded: Command | readonly CommandEntry[]
}

const nameOf = ({ usage }: CommandEntry): string => usage.split(' ', 1)[0] ?? usage

const namesOf = (path: readonly Named[]): string[] => path.map(({ entry }) => nameOf(entry))

const isGroup = (loaded: Named['loaded']): loaded is readonly CommandEntry[] =>
  Array.isArray(loaded)

/** The command that words name, and the group before it; flags between them are skipped. */
const namedIn = async (
  words: readonly string[],
  commands: readonly CommandEntry[],
): Promise<Named[]> => {
  for (const [index, word] of words.entries()) {
    const entry = commands.find((each) => nameOf(each) === word)
    if (entry === undefined) continue
    const loaded = await entry.load()
    const inner = isGroup(loaded) ? await namedIn(words.slice(index + 1), loaded) : []
    return [{ entry, loaded }, ...inner]
  }
  return []
}

const flagsOf = (path: readonly Named[]): FlagTable => {
  const loaded = path.at(-1)?.loaded
  return loaded === undefined || isGroup(loaded) ? {} : loaded.flags
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
  const path = await namedIn(words, commands)
  const isCompletion = words[0] === '--get-yargs-completions'
  let code: number | undefined
  const parser = parserOf(words, version, columns, path)
  declare(parser, commands, path, isHelp(words), async (command, given) => {
    if (isCompletion) return
    const packages = path.flatMap(({ entry }) => entry.packages ?? [])
    expectPackages(namesOf(path).join(' '), packages)
    code = await command.run(given)
  })
  parser.completion('completion', 'print a script that completes commands and flags in your $SHELL')
  if (isCompletion) {
    // A line that is still being typed has mistakes: only the candidates are printed.
    await parser.parseAsync().catch(() => {})
    return 0
  }
  refuseUnknownCommand(words, commands, path)
  refuseSwitchValue(words, flagsOf(path))
  // yargs would ignore everything that follows, a base URL too.
  if (words.includes('--')) throw new UsageError('unexpected "--" after the command: remove it')
  const given = await parser.parseAsync()
  if (code !== undefined) return code
  const isPrinted = given.help || given.version || ['help', 'completion'].includes(`${given._[0]}`)
  if (isPrinted) return 0
  // A command that did not run must never look like success.
  throw new UsageError(mistakeOf('Not enough non-option arguments: got 0', words, path))
}

const isHelp = (words: readonly string[]): boolean =>
  words[0] === 'help' || words.some((each) => each === '--help' || each === '-h')

/** With the command that was meant; yargs prints its whole help for `nosuch --help`. */
const refuseUnknownCommand = (
  words: readonly string[],
  commands: readonly CommandEntry[],
  path: readonly Named[],
): void => {
  const last = path.at(-1)
  const known = last === undefined ? commands : isGroup(last.loaded) ? last.loaded : []
  const word = last === undefined ? words[0] : words[words.indexOf(nameOf(last.entry)) + 1]
  if (known.length === 0 || word === undefined || word.startsWith('-')) return
  if (last === undefined && ['help', 'completion'].includes(word)) return
  const name = ['petvet', ...namesOf(path)].join(' ')
  const hint = didYouMean(word, known.map(nameOf), `see "${name} --help"`)
  throw new UsageError(`unknown command${hint}`)
}

/** As wide as the terminal, and no wider than is easy to read. */
const maxColumns = 100

const parserOf = (
  words: readonly string[],
  version: string,
  columns: number | undefined,
  path: readonly Named[],
): Argv =>
  yargs([...words])
    .scriptName('petvet')
    .usage('$0 <command>\n\nTests a server against the Animal Store Service Interface.')
    .locale('en')
    // One value each time an option is named, or `--key K URL` would take the address too.
    .parserConfiguration({ 'greedy-arrays': false })
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
      throw new UsageError(mistakeOf(error?.message ?? message, words, path))
    })

/** Declares the named command, and of the others their line in the list. */
const declare = (
  parser: Argv,
  commands: readonly CommandEntry[],
  [named, ...inner]: readonly Named[],
  forHelp: boolean,
  run: (command: Command, given: unknown) => Promise<void>,
): void => {
  for (const entry of commands) {
    const { usage, describe } = entry
    const loaded = entry === named?.entry ? named.loaded : undefined
    if (loaded === undefined) parser.command(usage, describe)
    else if (isGroup(loaded)) {
      parser.command(usage, describe, (own) => {
        declare(own, loaded, inner, forHelp, run)
        return own.demandCommand(1)
      })
    } else {
      const flags = (own: Argv) => {
        for (const line of entry.examples ?? []) own.example(`$0 ${line}`, '')
        if (entry.docs) own.epilog(`Documentation: docs/${entry.docs}`)
        return declareFlags(own, entry, loaded.flags, forHelp)
      }
      parser.command(usage, describe, flags, (given) => run(loaded, given))
    }
  }
}

const declareFlags = (
  parser: Argv,
  entry: CommandEntry,
  flags: FlagTable,
  forHelp: boolean,
): Argv => {
  for (const [name, flag] of Object.entries(flags)) {
    if (argumentsOf(entry).includes(name)) {
      const { type, array, choices, describe } = flag
      const form = { ...(type === 'string' && { type }), ...(choices && { choices }) }
      const coerce = checked(name, { type, array })
      parser.positional(name, { ...form, ...(describe && { describe }), coerce })
    } else {
      const { read, isNegatable, ...option } = flag
      const form = read && forHelp ? ({ type: 'number' } as const) : {}
      parser.option(name, { ...option, ...form, coerce: checked(`--${name}`, flag) })
    }
  }
  return parser
}

/** Refuses values that yargs lets through, and reads numbers. @throws UsageError */
const checked =
  (flag: string, { type, array, requiresArg, isNegatable, read }: Flag) =>
  (value: unknown): unknown => {
    if (Array.isArray(value) && !array) throw new UsageError(`${flag} is given more than once`)
    const values: unknown[] = Array.isArray(value) ? value : [value]
    if (requiresArg && values.includes('')) throw new UsageError(`${flag} needs a value`)
    if (type !== 'boolean' && !isNegatable && values.includes(false)) {
      throw new UsageError(`unknown option ${flag.replace('--', '--no-')}: leave out ${flag}`)
    }
    return read && typeof value === 'string' ? read(flag, value) : value
  }

const nameIn = (word: string): string => word.replace(/^--?(no-)?/, '').split('=', 1)[0] ?? ''

/** yargs would read `--json=yes` as false. */
const refuseSwitchValue = (words: readonly string[], flags: FlagTable): void => {
  const found = words.find(
    (word) => /^--[^=]+=(?!true$|false$)/.test(word) && flags[nameIn(word)]?.type === 'boolean',
  )
  if (found) throw new UsageError(`--${nameIn(found)} takes no value: write --${nameIn(found)}`)
}

/** @param message what yargs says of the mistake */
const mistakeOf = (message: string, words: readonly string[], path: readonly Named[]): string => {
  const last = path.at(-1)
  const names = namesOf(path)
  const name = ['petvet', ...names].join(' ')
  const usage = ['petvet', ...names.slice(0, -1), last?.entry.usage].join(' ')
  const lacksCommand = last === undefined || isGroup(last.loaded)
  const line = message.replace(/\s+/g, ' ').trim()
  const seeHelp = `; see "${name} --help"`
  if (line.startsWith('Not enough non-option')) {
    return lacksCommand ? `missing command${seeHelp}` : `missing argument; usage: ${usage}`
  }
  if (line.startsWith('Unknown ')) {
    const option = unknownOption(words, path, name)
    if (option !== undefined) return option
    // An unexpected word may be a key, and is not repeated.
    if (lacksCommand) return `unknown command${seeHelp}`
    return `too many arguments; usage: ${usage}; a value with spaces needs quotes`
  }
  // Our own messages pass through unchanged.
  return line
    .replace(/^Not enough arguments following: (\S+)$/, '--$1 needs a value')
    .replace(
      /^Invalid values: Argument: (.+), Given: (.*), Choices: (.*)$/,
      '--$1 takes $3, not $2',
    )
}

const unknownOption = (
  words: readonly string[],
  path: readonly Named[],
  name: string,
): string | undefined => {
  const unnamed = path.flatMap(({ entry }) => argumentsOf(entry))
  const flags = [...Object.keys(flagsOf(path)), 'help', 'version'].filter(
    (flag) => !unnamed.includes(flag),
  )
  const isKnown = (word: string) => word.startsWith('--') && flags.includes(nameIn(word))
  const word = words.find((each) => /^-\D/.test(each) && !isKnown(each))
  if (word === undefined) return undefined
  const [typed = ''] = word.split(/[=\s]/, 1)
  const meant = nearest(nameIn(typed), flags)
  if (typed === `--${meant}`) return `${typed} and its value are one word; write ${typed}=VALUE`
  if (meant !== undefined) return `unknown option ${typed} for "${name}"; did you mean --${meant}?`
  // A key may be attached to the option: only its first letters are repeated.
  const start = /^--[a-z-]{0,30}|^-./i.exec(typed)?.[0]
  const shown = start === typed ? start : `${start}...`
  return `unknown option ${shown} for "${name}"; see "${name} --help"`
}
