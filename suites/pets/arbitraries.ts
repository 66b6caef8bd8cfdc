// Generated values: names in any script, category ids, valid bodies, pet ids.

import fc from 'fast-check'
import { maxInt64 } from '../../engine/check/json.ts'
import { edgeNumbers } from '../vocabulary/boundary-numbers.ts'
import { strangeNames } from '../vocabulary/strange-names.ts'
import { isOrdinaryName, statuses } from './compare-pets.ts'

const letters = [
  ...['Rex', 'a', 'Z', '7', 'Ærø', 'ñandú', 'ß', 'Łódź', 'ẞ', 'Ωμέγα', 'Жучка', 'ёж', 'Ձուկ'],
  ...['שלום', 'قطة', 'ہاتھی', 'हाथी', 'বিড়াল', 'ยีราฟ', 'ខ្លា', '猫', '犬', '고양이', 'ネコ', '𠮷'],
  // Composed and decomposed forms, marks, and emoji of one and of several code points.
  ...['é', 'e\u0301', 'a\u030a\u0323', 'ｆｕｌｌ', 'ﬁ', '🐈', '🐕‍🦺', '🇫🇴', '👩🏽‍🌾', '𝔘𝔫𝔦'],
]

const between = [
  ...[' ', '  ', '-', '_', '.', ',', "'", '"', '’', '“', '/', '\\', '\\n', '&', '<b>', '&amp;'],
  ...['%20', '+', '=', '?', '#', ';', "'; --", '{}', '[]', '$&', '\u00a0', '\u2014', '~'],
]

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** What a reader takes for single characters. */
const graphemesOf = (text: string): string[] =>
  [...segmenter.segment(text)].map(({ segment }) => segment)

/** To what a character is shrunk that does not matter. */
const plainest = 'a'

/**
 * 1 to 100 characters, no space at the ends: a server must accept and return it unchanged. A
 * failing one, or a failing example, is shrunk to the characters that matter.
 * @param examples names that are tried as they are
 */
export const ordinaryName = (
  maxLength: number,
  examples: readonly string[] = [],
): fc.Arbitrary<string> => {
  const parts = [plainest, ...letters, ...between]
  const single = new Set([...parts, ...examples].flatMap(graphemesOf))
  return fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(...parts) },
        { weight: 1, arbitrary: fc.constantFrom(...single) },
      ),
      { minLength: 1, maxLength: 100, size: 'small' },
    )
    .map(
      (all) => all.join(''),
      (name) => graphemesOf(String(name)),
    )
    .filter((name) => isOrdinaryName(name) && name.length <= maxLength)
}

const maxStrange = 8
/** The name of a run comes first, and leaves so much. */
const maxTail = 76

/** As many strange names as fit into one; a failing one is shrunk to the one that matters. */
const strangeTail: fc.Arbitrary<string> = fc
  .shuffledSubarray(
    strangeNames.filter((name) => isOrdinaryName(`a ${name}`)),
    { minLength: 1, maxLength: maxStrange },
  )
  .map((names) => {
    let tail = ''
    for (const name of names) {
      const longer = tail === '' ? name : `${tail} ${name}`
      if ([...longer].length <= maxTail && isOrdinaryName(`a ${longer}`)) tail = longer
    }
    return tail === '' ? plainest : tail
  })

/** Any positive int64: at an edge, or with each number of bits equally likely. */
export const positiveInt64: fc.Arbitrary<bigint> = fc.oneof(
  fc
    .integer({ min: 1, max: 63 })
    .chain((bits) => fc.bigInt({ min: 2n ** BigInt(bits - 1), max: 2n ** BigInt(bits) - 1n })),
  fc.constantFrom(...edgeNumbers),
)

/** A valid body without the prefix of its name and a usable category, which the run fills in. */
export interface Draft {
  readonly tail: string
  readonly category: bigint
  readonly status: (typeof statuses)[number] | null
}

export const draft: fc.Arbitrary<Draft> = fc.record({
  tail: fc.oneof(ordinaryName(100), { arbitrary: strangeTail, weight: 3 }),
  category: positiveInt64,
  // Checks of lists need pets of each status.
  status: fc.constantFrom(...statuses, ...statuses, null),
})

export const limit = fc.integer({ min: 1, max: 100 })

/** Ids that no pet is likely to have, of several magnitudes; determined by the seed. */
export const unlikelyIds = (seed: number, count: number): bigint[] =>
  fc
    .sample(fc.bigInt({ min: 2n ** 40n, max: maxInt64 }), { seed, numRuns: count * 4 })
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
