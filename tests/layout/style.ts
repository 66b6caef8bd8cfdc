// The rules of style that no linter holds: sizes, first lines, names, and words left behind.
import { isTest, type Source } from './sources.ts'

const maxColumns = 100
const maxLines = 300
const maxTestLines = 300

const linesOf = ({ text }: Source): string[] => text.replace(/\n$/, '').split('\n')

const matchingLines = (
  sources: readonly Source[],
  says: string,
  broken: (line: string) => boolean,
) =>
  sources.flatMap((source) =>
    linesOf(source).flatMap((line, index) =>
      broken(line) ? [`${source.path}:${index + 1} ${says}`] : [],
    ),
  )

export const longLines = (sources: readonly Source[]): string[] =>
  matchingLines(sources, `is longer than ${maxColumns} columns`, (line) => line.length > maxColumns)

export const longFiles = (sources: readonly Source[]): string[] =>
  sources.flatMap((source) => {
    const limit = isTest(source) ? maxTestLines : maxLines
    const count = linesOf(source).length
    return count > limit ? [`${source.path} has ${count} lines, more than ${limit}`] : []
  })

export const missingFirstComments = (sources: readonly Source[]): string[] =>
  sources
    .filter((source) => {
      const [first = '', second = ''] = linesOf(source)
      return !(first.startsWith('#!') ? second : first).startsWith('// ')
    })
    .map(({ path }) => `${path} does not begin with a comment on what it holds`)

// The brackets keep these lines from matching themselves.
const leftover = /\b(?:TOD[O]|FIXM[E]|XX[X])\b/
const focused = /\.onl[y]\(/

export const leftovers = (sources: readonly Source[]): string[] =>
  matchingLines(sources, 'is not finished', (line) => leftover.test(line))

export const focusedTests = (sources: readonly Source[]): string[] =>
  matchingLines(sources, 'runs one test and hides the others', (line) => focused.test(line))

const vague = /(?:^|\/)(?:utils?|helpers?|common|types?)(?:\/|\.(?:test\.)?[tj]s$)/

export const vagueNames = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path }) => vague.test(path))
    .map(({ path }) => `${path} has a name that does not say what it holds`)
