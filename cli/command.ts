// The form of a command: its words and flags as data, and its work, which is imported when it runs.
import type { InferredOptionTypes, Options } from './yargs.ts'

export type OptionTable = Readonly<Record<string, Options>>

/** A value of a flag that was parsed: `O` of its own command knows them better. */
type Given<O extends OptionTable> = InferredOptionTypes<O>

interface CommandForm<O extends OptionTable> {
  /** The name and what stands behind it: `explain <id>`. */
  readonly usage: string
  readonly says: string
  /** The options that stand without a name, as `usage` calls them. */
  readonly positions: readonly (keyof O & string)[]
  readonly options: O
  /** Its work is imported when it runs, so that help loads nothing of it. */
  readonly run: (given: Given<O>) => Promise<number>
}

export interface Command {
  readonly name: string
  readonly usage: string
  readonly says: string
  readonly positions: readonly string[]
  readonly options: OptionTable
  /** The commands behind the word of a group; none of any other. */
  readonly commands: readonly Command[]
  /** @returns the exit code */
  readonly run: (given: unknown) => Promise<number>
}

const nameOf = (usage: string): string => usage.split(' ', 1)[0] ?? usage

export const command = <const O extends OptionTable>(form: CommandForm<O>): Command => ({
  ...form,
  name: nameOf(form.usage),
  commands: [],
  run: (given) => form.run(given as Given<O>),
})

/** Commands behind one word: `domains check`. */
export const commandGroup = (
  name: string,
  says: string,
  commands: readonly Command[],
): Command => ({
  name,
  usage: `${name} <command>`,
  says,
  positions: [],
  options: {},
  commands,
  run: async () => 0,
})

/** The command that words begin with, and the group it is in; flags among them are passed over. */
export const commandIn = (
  words: readonly string[],
  commands: readonly Command[],
): readonly Command[] => {
  for (const [at, word] of words.entries()) {
    const found = commands.find(({ name }) => name === word)
    if (found) return [found, ...commandIn(words.slice(at + 1), found.commands)]
  }
  return []
}
