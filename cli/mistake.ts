// A mistake on the command line, as yargs finds it, in one line that says what to do.
import { type Command, commandIn } from './command.ts'
import { nearest } from './nearest.ts'

/** @param message what yargs says of it */
export const mistakeOf = (
  message: string,
  argv: readonly string[],
  commands: readonly Command[],
): string => {
  const path = commandIn(argv, commands)
  const last = path.at(-1)
  const name = ['petvet', ...path.map((each) => each.name)].join(' ')
  const usage = ['petvet', ...path.slice(0, -1).map((each) => each.name), last?.usage].join(' ')
  const isGroup = last === undefined || last.commands.length > 0
  const line = message.replace(/\s+/g, ' ').trim()
  const seeHelp = `; see "${name} --help"`
  if (line.startsWith('Not enough non-option')) {
    return isGroup ? `missing command${seeHelp}` : `missing argument; usage: ${usage}`
  }
  if (line.startsWith('Unknown ')) {
    const option = unknownOption(argv, last, name)
    if (option !== undefined) return option
    // A stray word may be a key, and is not repeated.
    if (isGroup) return `unknown command${seeHelp}`
    return `too many arguments; usage: ${usage}; a value with spaces needs quotes`
  }
  // Our own messages pass through unchanged.
  return line
    .replace(/^Did you mean (.+)\?$/, 'unknown command; did you mean $1?')
    .replace(/^Not enough arguments following: (\S+)$/, '--$1 needs a value')
    .replace(
      /^Invalid values: Argument: (.+), Given: (.*), Choices: (.*)$/,
      '--$1 takes $3, not $2',
    )
}

const nameIn = (word: string): string => word.replace(/^--?(no-)?/, '').split('=', 1)[0] ?? ''

const unknownOption = (
  argv: readonly string[],
  command: Command | undefined,
  name: string,
): string | undefined => {
  const { options = {}, positions = [] } = command ?? {}
  const flags = [...Object.keys(options), 'help', 'version'].filter((f) => !positions.includes(f))
  const isKnown = (word: string) => word.startsWith('--') && flags.includes(nameIn(word))
  const word = argv.find((each) => /^-\D/.test(each) && !isKnown(each))
  if (word === undefined) return undefined
  const [typed = ''] = word.split(/[=\s]/, 1)
  const meant = nearest(nameIn(typed), flags)
  if (typed === `--${meant}`) return `${typed} and its value are one word; write ${typed}=VALUE`
  const start = /^--[a-z-]{0,30}|^-./i.exec(typed)?.[0]
  return meant === undefined
    ? // A key may have been typed onto it: only its first letters are repeated.
      `unknown option ${start}${start === typed ? '' : '...'} for "${name}"; see "${name} --help"`
    : `unknown option ${typed} for "${name}"; did you mean --${meant}?`
}

/** A switch that is given a value, such as `--json=yes`, which yargs would take for no. */
export const valueOfSwitch = (
  argv: readonly string[],
  commands: readonly Command[],
): string | undefined => {
  const options = commandIn(argv, commands).at(-1)?.options ?? {}
  const isIdle = (word: string) =>
    /^--[^=]+=(?!true$|false$)/.test(word) && options[nameIn(word)]?.type === 'boolean'
  const found = argv.find(isIdle)
  return found && `--${nameIn(found)}`
}
