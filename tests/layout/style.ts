// The rules of style that no linter checks: sizes, first lines, names, plain words, and leftovers.
import type { Source } from './sources.ts'

const maxColumns = 100
const maxLines = 300

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
    const count = linesOf(source).length
    return count > maxLines ? [`${source.path} has ${count} lines, more than ${maxLines}`] : []
  })

export const missingFirstComments = (sources: readonly Source[]): string[] =>
  sources
    .filter((source) => {
      const [first = '', second = ''] = linesOf(source)
      return !(first.startsWith('#!') ? second : first).startsWith('// ')
    })
    .map(({ path }) => `${path} does not begin with a comment on what it holds`)

// The brackets keep this line from matching itself.
const leftover = /\b(?:TOD[O]|FIXM[E]|XX[X])\b/

export const leftovers = (sources: readonly Source[]): string[] =>
  matchingLines(sources, 'is not finished', (line) => leftover.test(line))

const derived = /^export type .*\bReturnType<typeof/

/** A type that others import is declared, so that its page can be read. */
export const derivedTypes = (sources: readonly Source[]): string[] =>
  matchingLines(
    sources.filter(({ path }) => /^(?:causes|engine|load|spec|suites)\//.test(path)),
    'derives a type that others import',
    (line) => derived.test(line),
  )

const vague = /(?:^|\/)(?:utils?|helpers?|common|types?)(?:\/|\.(?:test\.)?[tj]s$)/

export const vagueNames = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path }) => vague.test(path))
    .map(({ path }) => `${path} has a name that does not say what it holds`)

/**
 * Words that readers stumbled over: say printed, configured, anyone who, handles, requests, LRU.
 */
const oddWords = /\b(?:told|whoever|bears|knock(?:s|ed|ing)?|let go|in vain|herd|lately)\b/i
/** The rule and its test name these words. */
const usesOddWords = ['tests/layout/style.ts', 'tests/layout.test.ts']
/** Bounds are named `maxHeadBytes` and `minWaitMs`; what is printed is formatted or described. */
const oddNames = /\w(?<!\bat|At)(?:Most|Least)\b|\btell[A-Z]/

/** Ids of checks and mutants are public, and do not change for their words. */
const withoutIds = (line: string): string => line.replace(/[a-z0-9]+(?:-[a-z0-9]+)+/g, '')

export const oddWording = (sources: readonly Source[]): string[] =>
  matchingLines(
    sources.filter(({ path }) => !usesOddWords.includes(path)),
    'has a word or name that readers stumble over',
    (line) => [oddWords, oddNames].some((odd) => odd.test(withoutIds(line))),
  )
