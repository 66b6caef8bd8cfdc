// A mistake on the command line, as yargs finds it, in one line that says what to do.
import { visible } from '../reports/visible.ts'
import { type Command, commandIn, flagsOf } from './command.ts'
import { nearest } from './nearest.ts'

interface Place {
  readonly argv: readonly string[]
  readonly commands: readonly Command[]
  /** The group and the command that were named; empty where none was. */
  readonly path: readonly Command[]
}

/** The flags that each command has besides its own. */
const everywhere = ['help', 'version']

/** A word of the command line, short enough to be repeated. */
const shown = (word: string): string => visible(word.length > 60 ? `${word.slice(0, 60)}...` : word)

const spelt = (path: readonly Command[]): string =>
  ['petvet', ...path.map(({ name }) => name)].join(' ')

/** `a, b or c`. */
const orList = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ')

/** @param message what yargs says of it */
export const mistakeOf = (
  message: string,
  argv: readonly string[],
  commands: readonly Command[],
): string => {
  const place = { argv, commands, path: commandIn(argv, commands) }
  const line = message.replace(/\s+/g, ' ').trim()
  for (const [pattern, tell] of kinds) {
    const found = pattern.exec(line)
    if (found) return tell(found, place)
  }
  // Our own words come through here as they are.
  return line
}

/** A switch that is given a value, such as `--json=yes`, which would be taken for no. */
export const valueOfSwitch = (
  argv: readonly string[],
  commands: readonly Command[],
): string | undefined => {
  const options = commandIn(argv, commands).at(-1)?.options ?? {}
  const isIdle = (word: string) =>
    /^--[^=]+=(?!true$|false$)/.test(word) && options[flagIn(word)]?.type === 'boolean'
  const found = argv.find(isIdle)
  return found && `--${flagIn(found)}`
}

type Tell = (found: RegExpExecArray, place: Place) => string

const unknown: Tell = ([, names = ''], place) => {
  const { argv, path } = place
  const tokens = argv.filter((word) => word.startsWith('-'))
  for (const name of names.split(', ')) {
    const token = tokens.find((word) => flagIn(word) === name || isShort(word, name))
    if (token !== undefined) return unknownFlag(token, place)
  }
  const last = path.at(-1)
  if (last === undefined) return unknownCommand(names, place, place.commands)
  if (last.commands.length > 0) return unknownCommand(names, place, last.commands)
  // A stray word may be a key, and is not repeated.
  const takes = last.positions.length > 0 ? ` ${last.usage.split(' ').slice(1).join(' ')}` : ''
  const what = takes === '' ? 'flags alone' : `${takes.trim()} and flags`
  return `${spelt(path)} takes ${what}, and more words were given; a value with spaces needs quotes`
}

const flagIn = (word: string): string => word.replace(/^--?(no-)?/, '').split('=', 1)[0] ?? ''

const isShort = (word: string, name: string): boolean =>
  name.length === 1 && /^-[^-]/.test(word) && word.includes(name)

const unknownCommand = (names: string, { path }: Place, commands: readonly Command[]): string => {
  const word = names.split(', ', 1)[0] ?? names
  const meant = nearest(
    word,
    commands.map(({ name }) => name),
  )
  // What is near to no command may be a key.
  return meant
    ? `"${shown(word)}" is no command of ${spelt(path)}; did you mean ${meant}?`
    : `what follows ${spelt(path)} is no command of it; ${spelt(path)} --help lists them`
}

const unknownFlag = (token: string, { path, commands }: Place): string => {
  const own = path.at(-1)
  const name = flagIn(token)
  const flags = own ? flagsOf(own) : []
  const [joined] = /^-[\w-]+(?=\s)/.exec(token) ?? []
  if (joined !== undefined && flags.includes(flagIn(joined))) {
    return `${joined} and its value came as one word: give two, or ${joined}=VALUE`
  }
  const said = (flag: string) => `${flag} is no flag of ${spelt(path)}`
  const whole = shown(token.split('=', 1)[0] ?? token)
  if (flags.includes(name)) return `${said(whole)}; did you mean --${name}?`
  const others = flat(commands, []).filter((each) => flagsOf(each.command).includes(name))
  if (others.length > 0) {
    return `${said(whole)}, but of ${orList(others.map((each) => spelt(each.path)))}`
  }
  // A value may be written onto a letter, and is near to a flag by chance alone.
  const meant = token.startsWith('--') ? nearest(name, [...flags, ...everywhere]) : undefined
  return meant
    ? `${said(whole)}; did you mean --${meant}?`
    : `${said(unmeant(token))}; ${spelt(path)} --help lists them`
}

/** Of a flag near to none, the letters that it begins with: a key may be written onto it. */
const unmeant = (token: string): string => {
  const flag = token.startsWith('--') ? (token.split('=', 1)[0] ?? token) : token.slice(0, 2)
  const [letters = ''] = /^-[A-Za-z-]{0,30}/.exec(flag) ?? []
  return letters.length < flag.length ? `${letters}...` : letters
}

interface Found {
  readonly path: readonly Command[]
  readonly command: Command
}

const flat = (commands: readonly Command[], above: readonly Command[]): Found[] =>
  commands.flatMap((each) => {
    const path = [...above, each]
    return [{ path, command: each }, ...flat(each.commands, path)]
  })

const missing: Tell = ([, got], place) => {
  const { argv, path, commands } = place
  const last = path.at(-1)
  const below = last?.commands ?? commands
  if (last === undefined || below.length > 0) {
    const word = argv.filter((each) => !each.startsWith('-'))[path.length]
    if (word !== undefined) return unknownCommand(word, place, below)
    const names = below.map(({ name }) => name)
    return `${spelt(path)} needs a command: ${orList(names)}; ${spelt(path)} --help tells more`
  }
  const name = last.positions[Number(got)] ?? last.positions[0] ?? ''
  const is = last.options[name]?.describe
  return `${spelt(path)} needs <${name}>${is ? `: ${is}` : ''}`
}

const choice: Tell = ([, name = '', given = '', choices = ''], { path }) => {
  const known = choices.split(', ').map((each) => each.replaceAll('"', ''))
  const word = given.replace(/^"|"$/g, '')
  const meant = nearest(word, known)
  const flag = path.at(-1)?.positions.includes(name) ? name : `--${name}`
  const hint = meant ? `; did you mean ${meant}?` : ''
  return `${flag} takes ${orList(known)}, not "${shown(word)}"${hint}`
}

const kinds: readonly (readonly [RegExp, Tell])[] = [
  [/^Unknown (?:arguments?|commands?): (.+)/, unknown],
  [/^Not enough non-option arguments: got (\d+)/, missing],
  [/^Not enough arguments following: (\S+)/, ([, name]) => `--${name} needs a value`],
  [/^Missing required arguments?: (\S+)/, ([, name]) => `--${name} is missing`],
  [/^Invalid values: Argument: (\S+), Given: (.*), Choices: (.*)$/, choice],
]
