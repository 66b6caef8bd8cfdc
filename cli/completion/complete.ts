// What may stand where the cursor is: commands, flags, and the values of flags and positions.
import { type Command, flagsOf } from '../command.ts'
import { type Candidate, type Source, sourceOf } from './sources.ts'

export interface Completion {
  /** `files`: the shell's own; `open`: more may follow the word, so no space is put behind it. */
  readonly kind: 'words' | 'open' | 'files'
  readonly candidates: readonly Candidate[]
}

interface Place {
  /** The command that is being written, below the groups it is in; none before it is named. */
  readonly path: readonly Command[]
  /** The flags that were given, and how many words stand without one. */
  readonly given: readonly string[]
  readonly bare: number
  /** The flag whose value comes next. */
  readonly awaited: string | null
}

const start: Place = { path: [], given: [], bare: 0, awaited: null }

/**
 * @param words what stands before the word at the cursor, the program's name left out
 * @param word the one at the cursor, as far as it is written
 */
export const complete = async (
  words: readonly string[],
  word: string,
  commands: readonly Command[],
): Promise<Completion> => {
  const place = words.reduce((at: Place, each) => after(at, each, commands), start)
  const command = place.path.at(-1)
  const below = command ? command.commands : commands
  if (place.awaited !== null) return valuesOf(place.path, place.awaited, '', word)
  const [, flag, value] = /^--([\w-]+)=(.*)$/s.exec(word) ?? []
  if (flag !== undefined && value !== undefined) {
    return valuesOf(place.path, flag, `--${flag}=`, value)
  }
  if (word.startsWith('-')) return found('words', flagCandidates(place), '', word)
  if (!command || below.length > 0) {
    const names = below.map(({ name, says }) => ({ word: name, says }))
    return found('words', names, '', word)
  }
  return atPosition(place, command, word)
}

const atPosition = async (place: Place, command: Command, word: string): Promise<Completion> => {
  const { positions, options } = command
  const position = positions[Math.min(place.bare, positions.length - 1)]
  const isFull = place.bare >= positions.length && !options[position ?? '']?.array
  if (position !== undefined && !isFull) {
    const values = await valuesOf(place.path, position, '', word)
    if (values.kind === 'files' || values.candidates.length > 0) return values
  }
  return found('words', word === '' ? flagCandidates(place) : [], '', word)
}

const after = (at: Place, word: string, commands: readonly Command[]): Place => {
  if (at.awaited !== null) return { ...at, awaited: null }
  const command = at.path.at(-1)
  const flag = /^--(?:no-)?([\w-]+)/.exec(word)?.[1]
  if (flag !== undefined) {
    const option = command?.options[flag]
    const takes = option !== undefined && option.type !== 'boolean' && !word.includes('=')
    const isLeftOut = word.startsWith('--no-')
    return { ...at, given: [...at.given, flag], awaited: takes && !isLeftOut ? flag : null }
  }
  if (word.startsWith('-')) return at
  const next = (command ? command.commands : commands).find(({ name }) => name === word)
  return next ? { ...at, path: [...at.path, next] } : { ...at, bare: at.bare + 1 }
}

const flagCandidates = ({ path, given }: Place): Candidate[] => {
  const command = path.at(-1)
  const flags = command ? flagsOf(command) : []
  const open = flags.filter((name) => command?.options[name]?.array || !given.includes(name))
  return [
    ...open.flatMap((name) => {
      const { describe = '', default: usual } = command?.options[name] ?? {}
      const says = String(describe)
      // Of what is on unasked, only the way to turn it off is of use.
      return usual === true ? [{ word: `--no-${name}`, says }] : [{ word: `--${name}`, says }]
    }),
    ...(open.includes('config') ? [{ word: '--no-config', says: 'read none' }] : []),
    { word: '--help', says: 'show help' },
    ...(command ? [] : [{ word: '--version', says: 'show the version' }]),
  ]
}

const valuesOf = async (
  path: readonly Command[],
  name: string,
  before: string,
  word: string,
): Promise<Completion> => {
  const source = sourceOf(path, name)
  if (source === 'files') return { kind: 'files', candidates: [] }
  if (source === 'free') return { kind: 'words', candidates: [] }
  const listed = source.isList ? word.slice(0, word.lastIndexOf(',') + 1) : ''
  const there = listed.split(',')
  const all = (await source.words()).filter((each) => !there.includes(each.word))
  const kind = isOpen(source) ? 'open' : 'words'
  return found(kind, all, before + listed, before + word)
}

const isOpen = (source: Source): boolean =>
  typeof source === 'object' && (source.isList === true || source.isOpen === true)

const found = (
  kind: Completion['kind'],
  all: readonly Candidate[],
  before: string,
  word: string,
): Completion => ({
  kind,
  candidates: all
    .map((each) => ({ ...each, word: before + each.word }))
    .filter((each) => each.word.startsWith(word)),
})
