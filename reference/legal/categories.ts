// Categories that keep every sentence in another way: which exist, and how they are spelled.
import type { Variant } from '../compose.ts'
import type { LegalVariant } from '../mutant.ts'
import { refusing, rewriting } from '../mutants/over-animals.ts'

const known = [1n, 2n ** 31n + 7n, 2n ** 53n + 1n, 2n ** 63n - 1n]

const knownOnly = (categories: readonly bigint[]): Variant =>
  refusing(400, ({ categoryId }) => categories.includes(categoryId), 'There is no such category.')

export const knowing = (categories: readonly bigint[]) => ({ categories, ...knownOnly(categories) })

/** `12.0` and `12e0` become `12`. */
const asInteger = (text: string): string =>
  text.replace(/("categoryId"\s*:\s*-?\d+)(?:\.0+|[eE]\+?0+)(?=\s*[,}])/, '$1')

/** What has a point or an exponent passes through a double, as a number of JSON may. */
const throughDouble = (text: string): string =>
  text.replace(/("categoryId"\s*:\s*)(-?\d+(?:\.0+|[eE]\+?0+))(?=\s*[,}])/, (_, name, number) => {
    const most = 2n ** 63n - 1n
    const value = BigInt(Number(number))
    return `${name}${value > most ? most : value}`
  })

export const legalCategories: readonly LegalVariant[] = [
  { id: 'categories-known', does: 'Only some categories exist.', ...knowing(known) },
  { id: 'categories-small', does: 'Only three small categories exist.', ...knowing([1n, 2n, 3n]) },
  {
    id: 'categories-table-of-100',
    does: 'There are the categories 1 to 100, none of which is configured.',
    ...knownOnly(Array.from({ length: 100 }, (_, at) => BigInt(at + 1))),
  },
  {
    id: 'categories-scattered',
    does: 'There are four categories with random ids, none of which is configured.',
    ...knownOnly([918_273n, 48_201_733n, 2n ** 40n + 77n, 2n ** 62n + 5n]),
  },
  {
    id: 'categories-positive',
    does: 'Zero and negative categories are refused.',
    ...refusing(400, ({ categoryId }) => categoryId > 0n, 'categoryId has to be positive.'),
  },
  {
    id: 'categories-spelled-freely',
    does: 'A category may be written as 1.0 or 1e0.',
    ...rewriting(asInteger),
  },
  {
    id: 'categories-spelled-as-doubles',
    does: 'A category written as 1.0 or 1e0 is taken for the nearest double.',
    ...rewriting(throughDouble),
  },
]
