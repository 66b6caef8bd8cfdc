// The form of a command, and the door of yargs.
import yargs, { type Argv, type InferredOptionTypes, type Options } from 'yargs'
import { nearest } from './nearest.ts'
import { UsageError } from './usage-error.ts'

type OptionTable = Readonly<Record<string, Options>>

interface CommandForm<O extends OptionTable> {
  /** The name and what stands behind it: `explain <id>`. */
  readonly usage: string
  readonly says: string
  /** The options that stand without a name, as `usage` calls them. */
  readonly positions: readonly (keyof O & string)[]
  readonly options: O
  /** Its work is imported when it runs, so that help loads nothing of it. */
  readonly run: (given: InferredOptionTypes<O>) => Promise<number>
}

export interface Command {
  readonly addTo: (parser: Argv, ended: (exitCode: number) => void) => void
}

export const command = <const O extends OptionTable>(form: CommandForm<O>): Command => ({
  addTo: (parser, ended) => {
    const declare = (own: Argv) => {
      for (const [name, option] of Object.entries<Options>(form.options)) {
        const once = { ...option, ...(option.array ? {} : { coerce: givenOnce(name) }) }
        if (form.positions.includes(name)) own.positional(name, positional(once))
        else own.option(name, once)
      }
      return own
    }
    parser.command(form.usage, form.says, declare, async (given) => {
      ended(await form.run(given as unknown as InferredOptionTypes<O>))
    })
  },
})

/** Commands behind one word: `domains check`. */
export const commandGroup = (
  name: string,
  says: string,
  commands: readonly Command[],
): Command => ({
  addTo: (parser, ended) => {
    const declare = (own: Argv) => {
      for (const each of commands) each.addTo(own, ended)
      return own.demandCommand(1, `name what to do: petvet ${name} --help tells`)
    }
    parser.command(`${name} <command>`, says, declare, () => {})
  },
})

const positional = ({ type, describe, coerce }: Options) => ({
  ...(type === 'string' && { type }),
  ...(describe !== undefined && { describe }),
  ...(coerce !== undefined && { coerce }),
})

const givenOnce = (name: string) => (value: unknown) => {
  if (Array.isArray(value)) throw new UsageError(`--${name} is given more than once`)
  return value
}

export const parserOf = (
  argv: readonly string[],
  version: string,
  commands: readonly Command[],
  ended: (exitCode: number) => void,
): Argv => {
  const parser = yargs([...argv])
    .scriptName('petvet')
    .usage('$0 <command>\n\nVets a server against the Animal Store Service Interface.')
    .locale('en')
    // One value for each time an option is named, or `--key K URL` would swallow the address.
    .parserConfiguration({ 'greedy-arrays': false })
    .wrap(100)
    .version(version)
    .help()
    .completion('completion', 'print a script for bash or zsh that completes commands and flags')
    .strict()
    .recommendCommands()
    .demandCommand(1, 'name a command')
    .exitProcess(false)
  for (const each of commands) each.addTo(parser, ended)
  return parser.fail((message, error) => {
    // What yargs itself throws is a YError, and so is what becomes of an error in `coerce`.
    if (error instanceof Error && error.name !== 'YError') throw error
    throw new UsageError(plain(error?.message ?? message, flagsOf(parser)))
  })
}

const flagsOf = (parser: Argv): string[] => {
  const { key } = (parser as Argv & { getOptions: () => { key: object } }).getOptions()
  return Object.keys(key)
}

/** What yargs says of a mistake, in one line, with the flag that may have been meant. */
const plain = (message: string, flags: readonly string[]): string => {
  const line = message.replace(/\s+/g, ' ').trim()
  const valueless = /^Not enough arguments following: (.+)/.exec(line)?.[1]
  if (valueless) return `--${valueless} needs a value`
  if (line.startsWith('Not enough non-option arguments')) {
    return 'an argument is missing; add --help to see which'
  }
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(line)?.[1]
  const meant = unknown && nearest(unknown, flags)
  if (meant) return `${line}; did you mean --${meant}?`
  const isWhole = line.startsWith('--') || line.startsWith('Did you mean')
  return isWhole ? line : `${line}; petvet --help tells what there is`
}
