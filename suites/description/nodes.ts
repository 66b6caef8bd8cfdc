// The nodes of an OpenAPI document: references within it are followed, others are never fetched.
import { Untested } from '../../engine/outcome.ts'

/** An object of the document; its values are not known to be anything. */
export type Node = Readonly<Record<string, unknown>>

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** References followed in a row, before they count as a circle. */
const maxDepth = 16

/** A step of a JSON pointer in an address: percent-encoded as a whole (RFC 6901, 6). */
const unescapeStep = (step: string): string => {
  let text = step
  try {
    text = decodeURIComponent(step)
  } catch {
    // A lone % is itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

const memberOf = (value: unknown, step: string): unknown =>
  Array.isArray(value) && /^\d+$/.test(step) ? value[Number(step)] : nodeOf(value)[step]

/**
 * A node, or what it refers to within this document, with the members that are next to the
 * reference. A node that refers to another document keeps its `$ref`.
 */
export const resolve = (document: Node, value: unknown, depth = 0): Node => {
  const { $ref, ...own } = nodeOf(value)
  if (typeof $ref !== 'string') return nodeOf(value)
  if ($ref !== '#' && !$ref.startsWith('#/')) return nodeOf(value)
  if (depth >= maxDepth) return own
  const steps = $ref.split('/').slice(1).map(unescapeStep)
  const target = steps.reduce<unknown>((at, step) => {
    const next = isNode(at) && typeof at.$ref === 'string' ? resolve(document, at, depth + 1) : at
    // What is within another document is as unread as that itself.
    return isNode(next) && typeof next.$ref === 'string' ? next : memberOf(next, step)
  }, document)
  return { ...resolve(document, target, depth + 1), ...own }
}

/** @throws Untested where a node is, or has a part, in another document */
export const expectRead = ({ $ref }: Node): void => {
  if (typeof $ref !== 'string') return
  const message = 'the description refers to another document, which is not fetched'
  throw new Untested('ambiguous', message)
}

/** A schema of null alone. */
const isNull = ({ type, const: constant, enum: values }: Node): boolean =>
  type === 'null' ||
  constant === null ||
  (Array.isArray(values) && values.length > 0 && values.every((each) => each === null))

/** The alternatives of a schema, but for that of null. */
const alternativesOf = (document: Node, { anyOf, oneOf }: Node): Node[] =>
  [...listOf(anyOf), ...listOf(oneOf)]
    .map((part) => resolve(document, part))
    .filter((part) => !isNull(part))

/** How many parts of a schema are still looked at: a document may make endless ones of a few. */
interface Budget {
  left: number
}

const wholeBudget = (): Budget => ({ left: 1_000 })

/** A schema put together with the parts of its `allOf`, and with its only alternative to null. */
export const schemaOf = (document: Node, value: unknown, budget = wholeBudget()): Node => {
  const { allOf, ...own } = resolve(document, value)
  budget.left -= 1
  if (budget.left < 0) return own
  const alternatives = alternativesOf(document, own)
  const unread = alternatives.find(({ $ref }) => typeof $ref === 'string')
  const parts = [...listOf(allOf), ...(alternatives.length === 1 ? alternatives : [])]
  return Object.assign({}, ...parts.map((part) => schemaOf(document, part, budget)), own, {
    ...(unread && { $ref: unread.$ref }),
  })
}

/** The values that a schema lists, by `enum`, by `const` or as alternatives, but for null. */
export const valuesOf = (document: Node, value: unknown, budget = wholeBudget()): unknown[] => {
  const schema = schemaOf(document, value, budget)
  if ('const' in schema) return [schema.const]
  if (Array.isArray(schema.enum)) return schema.enum.filter((each) => each !== null)
  if (budget.left < 0) return []
  return alternativesOf(document, schema).flatMap((part) => valuesOf(document, part, budget))
}
