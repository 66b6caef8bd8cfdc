// Generated values: names in any script, category ids, valid bodies, pet ids.

import fc from 'fast-check'
import type { Column } from '../../engine/check/parts.ts'
import { maxInt64 } from '../../history/json.ts'
import { isOrdinaryName, statuses } from '../../model/read-body.ts'
import nameParts from '../vocabulary/name-parts.json' with { type: 'json' }
import naughtyStrings from '../vocabulary/naughty-strings.json' with { type: 'json' }

type Risky = readonly [text: string, column?: Column]

/**
 * Names that stores, columns or encoders have corrupted: whole ones, and texts in one. They break a
 * syntax, and are inert where it is broken: a target may hold data that matters.
 */
export const riskyNames: Readonly<Record<'scripts' | 'words' | 'markup', readonly Risky[]>> = {
  scripts: [
    // 100 characters in 350 bytes, and in 150 units of UTF-16.
    ['字🐈'.repeat(50)],
    ['🐈‍⬛ 👩🏽‍🌾 🇫🇴 𝔘𝔫𝔦 𠮷', 0],
    ['e\u0301 \u00e9 a\u0323\u030a ﬁ', 1],
    // Direction marks, and joiners of several scripts.
    ['שלום \u200fمرحبا\u200e می\u200cخواهم क्\u200dष', 2],
  ],
  // What a parser may mistake for null, a number, nothing, a boolean, a date or a property.
  words: [['2024-01-01T12:00:00'], ['null'], ['0012'], ['true'], ['0'], ['__proto__']],
  markup: [
    [`Robert'); SELECT 1;--`, 1],
    // Not next to %d, which no decoder of %41 takes.
    ['2  spaces, "quotes" \\ / slash %41', 0],
    [`AC/DC <3 & "O'Neil" \\n ; --`, 2],
    ['<b>&amp;</b> \\u0041', 1],
    // Syntax of format strings, templates and SQL.
    ['{{name}} %d %x {0} #{x} $1 :name ?', 0],
  ],
}

/**
 * Ordinary names that programs have lost or changed: the Big List of Naughty Strings, and shapes. A
 * valid creation may have each. Not here: characters that Unicode has not assigned, and those that
 * end a line.
 */
const strangeNames: readonly string[] = [
  ...new Set([...naughtyStrings.strings, ...Object.values(nameParts.shapes).flat()]),
]

const powers = [
  ...Array.from({ length: 64 }, (_, exponent) => 2n ** BigInt(exponent)),
  ...Array.from({ length: 19 }, (_, exponent) => 10n ** BigInt(exponent)),
]

/**
 * Positive int64 that programs have lost: at and next to every power of two and of ten. Beyond 2^53
 * a double cannot tell such neighbours apart.
 */
const edgeNumbers: readonly bigint[] = [
  ...new Set(powers.flatMap((power) => [power - 1n, power, power + 1n])),
].filter((number) => number > 0n && number <= maxInt64)

/** Lengths at which columns, indexes and buffers end, in characters, units of UTF-16, or bytes. */
export const longNames: readonly string[] = Object.entries(nameParts.lengths).flatMap(
  ([sign, lengths]) => lengths.map((length) => sign.repeat(length)),
)

/** What a program may take for something else where it is the whole name. */
export const wholeNames: readonly string[] = nameParts.whole

const maxTexts = 8
/** The name of a run comes first, and leaves so much. */
const maxTail = 76

const fits = (tail: string): boolean => [...tail].length <= maxTail && isOrdinaryName(`a ${tail}`)

/** As many of these texts as fit into one name: a server must return it unchanged. */
const strangeTail: fc.Arbitrary<string> = fc
  .shuffledSubarray([...strangeNames, ...nameParts.letters].filter(fits), {
    ...{ minLength: 1, maxLength: maxTexts },
  })
  .map((texts) =>
    texts.reduce((tail, text) => (fits(`${tail} ${text}`) ? `${tail} ${text}` : tail)),
  )

const joined = (texts: readonly string[]): readonly string[] => {
  const tails: string[] = []
  for (const text of texts) {
    const last = tails.at(-1)
    if (last !== undefined && fits(`${last} ${text}`)) tails[tails.length - 1] = `${last} ${text}`
    else tails.push(text)
  }
  return tails
}

/** All ordinary texts, as many in one tail as fit. */
export const furtherTails = joined(strangeNames.filter(fits))

/** A valid body without the prefix of its name and a usable category, which the run fills in. */
export interface Draft {
  readonly tail: string
  readonly category: bigint
  readonly status: (typeof statuses)[number] | null
}

export const draft: fc.Arbitrary<Draft> = fc.record({
  tail: strangeTail,
  category: fc.constantFrom(...edgeNumbers),
  // Checks of lists need pets of each status.
  status: fc.constantFrom(...statuses, ...statuses, null),
})

export const limit = fc.integer({ min: 1, max: 100 })

/** Ids that no pet is likely to have, of several magnitudes; determined by the seed. */
export const unlikelyIds = (seed: number, count: number): bigint[] =>
  fc
    .sample(fc.noBias(fc.bigInt({ min: 2n ** 40n, max: maxInt64 })), { seed, numRuns: count * 4 })
    .filter((id) => id < maxInt64 - 2n ** 20n && id > 2n ** 40n + 2n ** 20n)
    .slice(0, count)

/** Ranges of ids, all above the number of categories that a table may have. */
const categorySizes = {
  'below 10^6': [10n ** 5n, 10n ** 6n - 1n],
  'below 10^8': [10n ** 7n, 10n ** 8n - 1n],
  'below 2^31': [10n ** 9n, 2n ** 31n - 1n],
  'beyond 2^32': [2n ** 32n, 2n ** 53n],
  'beyond 2^53': [2n ** 54n, maxInt64],
} as const

export type CategorySize = keyof typeof categorySizes

/** A category id in a range, determined by the seed. */
export const unlikelyCategory = (seed: number, size: CategorySize, nth: number): bigint => {
  const [min, max] = categorySizes[size]
  return fc.sample(fc.bigInt({ min, max }), { seed, numRuns: nth + 1 })[nth] ?? min
}

/** In another order, determined by the seed. */
export const shuffled = <T>(all: readonly T[], seed: number): readonly T[] =>
  fc.sample(fc.shuffledSubarray([...all], { minLength: all.length }), { seed, numRuns: 1 })[0] ??
  all
