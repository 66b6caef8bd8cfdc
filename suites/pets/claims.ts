// What a valid creation may be peculiar in, and the few creations that carry all of it: names,
// categories, statuses, media types. A creation that passes proves all that it carries.

import type { ApiRequest, Header } from '../../engine/check/exchange.ts'
import { maxInt64 } from '../../engine/check/json.ts'
import { statuses } from './compare-pets.ts'

type Status = (typeof statuses)[number]

/** One peculiarity that every server must accept. A creation has at most one of each part. */
export interface Claim {
  /** Follows `with`. */
  readonly words: string
  readonly name?: string
  readonly categoryId?: bigint
  readonly status?: Status | 'omitted'
  readonly mediaType?: string
  readonly framing?: ApiRequest['framing']
  /** Fields by which some frameworks let a client ask for another method or address. */
  readonly overriding?: readonly Header[]
}

/** Names that stores, columns or encoders have corrupted, and that matter as a whole. */
const wholeNames = [
  // A single character, so that the whole body fits into Latin-1.
  'é',
  // 100 characters in 300 bytes, and in 200 units of UTF-16.
  '字'.repeat(100),
  '🐈'.repeat(100),
  'null',
  '0012',
  // Words that a parser may mistake for a boolean, a number, a date or a property.
  'true',
  '42',
  '2024-01-01',
  '__proto__',
]

/** Ordinary names that may be part of a longer one. */
const partsOfNames = [
  '🐈‍⬛ 👩🏽‍🌾 🇫🇴 𝔘𝔫𝔦 𠮷',
  'e\u0301 \u00e9 a\u0323\u030a ﬁ',
  // Direction marks, and joiners of several scripts.
  'שלום \u200fمرحبا\u200e می\u200cخواهم क्\u200dष',
  `Robert'); DROP TABLE pets;--`,
  'two  spaces, "quotes" \\ and / a slash',
  `AC/DC <3 & "O'Neil" \\n ; --`,
  '<b>&amp;</b> %41 \\u0041',
  // Syntax of format strings, templates and SQL.
  '{{name}} %s %d 100% {0} #{x} $1 :name ?',
]

export const riskyNames: readonly string[] = [...wholeNames, ...partsOfNames]

const joinable: ReadonlySet<string> = new Set(partsOfNames)

/** The sizes at which servers lose digits. */
export const riskyCategories: readonly bigint[] = [
  2n ** 53n + 1n,
  maxInt64,
  2n ** 31n,
  2n ** 32n + 1n,
  1n,
  2n ** 53n + 3n,
  // A double takes it for the first one of these.
  2n ** 53n,
]

export const claims = {
  names: riskyNames.map((name): Claim => ({ words: `the name ${name}`, name })),
  categories: riskyCategories.map(
    (categoryId): Claim => ({ words: `the category ${categoryId}`, categoryId }),
  ),
  statuses: [...statuses, 'omitted' as const].map(
    (status): Claim => ({ words: status === 'omitted' ? 'no status' : `status ${status}`, status }),
  ),
  mediaTypes: ['application/json; charset=utf-8', 'Application/JSON'].map(
    (mediaType): Claim => ({ words: `Content-Type: ${mediaType}`, mediaType }),
  ),
  // TRACE changes nothing at a server that obeys.
  overrides: [
    {
      words: 'fields that ask for another method and address',
      overriding: [
        ['X-HTTP-Method-Override', 'TRACE'],
        ['X-Original-URL', '/petvet'],
        ['X-Rewrite-URL', '/petvet'],
      ],
    } satisfies Claim,
  ],
  framings: [{ words: 'a body in two parts', framing: 'in two parts' } satisfies Claim],
} as const

const maxName = 100

/** The name that carries these claims: parts of names are joined. */
export const joinNames = (all: readonly Claim[]): string | undefined => {
  const names = all.flatMap(({ name }) => name ?? [])
  return names.length === 0 ? undefined : names.join(' ')
}

const isWithin = (name: string | undefined): boolean => [...(name ?? '')].length <= maxName

const parts = ['name', 'categoryId', 'status', 'mediaType', 'framing', 'overriding'] as const

/** Whether a creation that carries these claims can carry another one. */
const fits = (claim: Claim, carried: readonly Claim[]): boolean => {
  const common = parts.filter(
    (part) => claim[part] !== undefined && carried.some((each) => each[part] !== undefined),
  )
  if (common.length === 0) return true
  const all = [...carried, claim]
  const areParts = all.flatMap(({ name }) => name ?? []).every((name) => joinable.has(name))
  return common.every((part) => part === 'name') && areParts && isWithin(joinNames(all))
}

/** Each claim goes to the creation that carries fewest, so that a fault of one shows alone. */
const pack = (all: readonly Claim[]): readonly (readonly Claim[])[] => {
  const packed: Claim[][] = []
  for (const claim of all) {
    const [emptiest] = packed
      .filter((carried) => fits(claim, carried))
      .sort((a, b) => a.length - b.length)
    if (emptiest) emptiest.push(claim)
    else packed.push([claim])
  }
  return packed
}

/** The creations of a run that carry all these claims. */
export const packed = pack(Object.values(claims).flat())

/** The place of the creation that carries a claim. */
export const findPlace = (claim: Claim): number =>
  packed.findIndex((carried) => carried.includes(claim))

/** Those that carry no category: the probe gives them one. */
export const withoutCategory: readonly number[] = [...packed.keys()].filter((place) =>
  packed[place]?.every(({ categoryId }) => categoryId === undefined),
)

/** Those that are peculiar in their members alone, and have a category: others may send them. */
export const ofMembers: readonly number[] = [...packed.keys()].filter(
  (place) =>
    packed[place]?.some(({ categoryId }) => categoryId !== undefined) &&
    packed[place]?.every(
      ({ mediaType, framing, overriding }) => (mediaType ?? framing ?? overriding) === undefined,
    ),
)

/** What the plan takes the creations that carry these claims for. */
export const sharedBy = (all: readonly Claim[]): readonly string[] => [
  ...new Set(all.map((claim) => `creation ${findPlace(claim)}`)),
]
