// A shell's question how a command line may go on, and the answer to it in lines.
import type { Command } from '../command.ts'
import { complete } from './complete.ts'
import { typedWords } from './typed-words.ts'

/** More than these nobody reads. */
const candidatesMost = 2_000
const saysMost = 70

/**
 * A line that says what follows, and one for each candidate, with a tab before what it means.
 * @param asked the shell, and what it tells of its line
 */
export const answerShell = async (
  [shell, ...asked]: readonly string[],
  commands: readonly Command[],
): Promise<string> => {
  const { words, word, cut } = shell === 'bash' ? typedWords(asked) : ofWords(asked)
  const { kind, candidates } = await complete(words, word, commands)
  const lines = candidates
    .slice(0, candidatesMost)
    .map((each) => `${each.word.slice(cut)}${told(each.says)}`)
  return `${[kind, ...lines].join('\n')}\n`
}

/** zsh and fish take their line apart themselves. */
const ofWords = (asked: readonly string[]) => ({
  words: asked.slice(0, -1),
  word: asked.at(-1) ?? '',
  cut: 0,
})

const told = (says: string): string => {
  if (says === '') return ''
  const line = says.replace(/\s+/g, ' ')
  return `\t${line.length > saysMost ? `${line.slice(0, saysMost - 3)}...` : line}`
}
