// The fault dictionary: which checks fail at each mutant, and what their evidence looks like.
import { readFileSync } from 'node:fs'
import type { CheckResult } from '../engine/run-file.ts'
import type { RequirementId } from '../spec/requirements.ts'

/**
 * What the evidence of a failed check looks like, apart from the data of one server: statuses and
 * words, in alphabetical order.
 */
export type Features = readonly string[]

/** What a run under one condition finds at one mutant: each check that fails, with its features. */
type Signature = ReadonlyMap<string, Features>

export interface Entry {
  /** The mutants with these signatures: more than one where no check separates them. */
  readonly mutants: readonly string[]
  /** The fault of each mutant, in the words of an implementer. */
  readonly faults: readonly string[]
  /** The requirement that the first mutant violates, and the check that is there to find it. */
  readonly requirement: RequirementId
  readonly caughtBy: string
  /** With keys of all plans and a test clock; and with one Free key and without a clock. */
  readonly full: Signature
  readonly plain: Signature
}

export type Dictionary = readonly Entry[]

/** A signature as it is stored: the features of each check, joined by spaces. */
export type SignatureText = Readonly<Record<string, string>>

/** The dictionary as it is stored. */
export type DictionaryText = readonly (Omit<Entry, 'full' | 'plain'> & {
  readonly full: SignatureText
  readonly plain: SignatureText
})[]

const signatureFrom = (text: SignatureText): Signature =>
  new Map(Object.entries(text).map(([id, features]) => [id, features.split(' ')]))

let known: Dictionary | undefined

/** The dictionary that is shipped, read when it is needed for the first time. */
export const dictionary = (): Dictionary => {
  known ??= (
    JSON.parse(readFileSync(new URL('dictionary.json', import.meta.url), 'utf8')) as DictionaryText
  ).map((entry) => ({
    ...entry,
    full: signatureFrom(entry.full),
    plain: signatureFrom(entry.plain),
  }))
  return known
}

const ignored = new Set(['in', 'of', 'first', 'answers', 'answer', 'responses', 'the', 'a', 'to'])

/** What an invariant adds to its first violation. */
const amongOthers =
  /^(.*) \((?:the first of (\d+) violations|the only violation) in (\d+) responses\)$/s

/** The words of a result without what a server's own data put there. */
const wordsOf = (text: string): string[] =>
  text
    .replace(amongOthers, '$2 $3 $1')
    .replace(/\(minimal failing input:.*$/, '')
    .replace(/\{.*\}|\[.*\]/s, ' json ')
    .replace(/"[^"]*"/g, ' text ')
    .match(/[A-Za-z][A-Za-z-]*|\b[2-5]\d\d\b/g) ?? []

/** @returns the features of a failed check */
export const featuresOf = ({ actual, detail, evidence }: CheckResult): Features => {
  const status = evidence.at(-1)?.response?.status
  const words = wordsOf(actual ?? detail).filter((word) => !ignored.has(word))
  return [...new Set([...words, ...(status === undefined ? [] : [`status-${status}`])])].sort()
}
