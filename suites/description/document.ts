// Reads a published OpenAPI document, 3.0 or 3.1. References within it are followed, references to
// other documents are never fetched.

import { Untested } from '../../history/outcome.ts'
import { short, violate } from '../../model/clause.ts'

/** An object of the document, its values unchecked. */
export type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const asNode = (value: unknown): Node => (isNode(value) ? value : {})

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** References followed in a row before they count as a cycle. */
const maxDepth = 16

/** A step of a JSON pointer in a URL: percent-encoded as a whole (RFC 6901, 6). */
const unescapeStep = (step: string): string => {
  let text = step
  try {
    text = decodeURIComponent(step)
  } catch {
    // A single % is not an escape.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

const memberOf = (value: unknown, step: string): unknown =>
  Array.isArray(value) && /^\d+$/.test(step) ? value[Number(step)] : asNode(value)[step]

/**
 * A node, or the one that it refers to within this document, with the members next to the
 * reference. A node that refers to another document keeps its `$ref`.
 */
const resolve = (document: Node, value: unknown, depth = 0): Node => {
  const { $ref, ...own } = asNode(value)
  if (typeof $ref !== 'string') return asNode(value)
  if ($ref !== '#' && !$ref.startsWith('#/')) return asNode(value)
  if (depth >= maxDepth) return own
  const steps = $ref.split('/').slice(1).map(unescapeStep)
  const target = steps.reduce<unknown>((at, step) => {
    const next = isNode(at) && typeof at.$ref === 'string' ? resolve(document, at, depth + 1) : at
    // A part of another document is not read either.
    return isNode(next) && typeof next.$ref === 'string' ? next : memberOf(next, step)
  }, document)
  return { ...resolve(document, target, depth + 1), ...own }
}

/** @throws Untested if a node, or a part of it, is in another document */
export const expectRead = ({ $ref }: Node): void => {
  if (typeof $ref !== 'string') return
  const message = 'the description refers to another document, which is not fetched'
  throw new Untested('ambiguous', message)
}

/** @throws Untested if it is in another document */
export const readNode = (document: Node, value: unknown): Node => {
  const node = resolve(document, value)
  expectRead(node)
  return node
}

const isNull = ({ type, const: constant, enum: values }: Node): boolean =>
  type === 'null' ||
  constant === null ||
  (Array.isArray(values) && values.length > 0 && values.every((each) => each === null))

/** The alternatives of a schema, except null. */
const alternativesOf = (document: Node, { anyOf, oneOf }: Node): Node[] =>
  [...asList(anyOf), ...asList(oneOf)]
    .map((part) => readNode(document, part))
    .filter((part) => !isNull(part))

/** How many parts of a schema may still be read: a document may nest them endlessly. */
const wholeBudget = () => ({ left: 1_000 })

/**
 * A schema merged with the parts of its `allOf`, and with its only alternative to null.
 * @throws Untested if one of these, or one of several alternatives, is in another document
 */
export const schemaOf = (document: Node, value: unknown, budget = wholeBudget()): Node => {
  const { allOf, ...own } = readNode(document, value)
  budget.left -= 1
  if (budget.left < 0) return own
  const alternatives = alternativesOf(document, own)
  const parts = [...asList(allOf), ...(alternatives.length === 1 ? alternatives : [])]
  return Object.assign({}, ...parts.map((part) => schemaOf(document, part, budget)), own)
}

/** The values that a schema lists, by `enum`, `const` or as alternatives, except null. */
export const collectValues = (
  document: Node,
  value: unknown,
  budget = wholeBudget(),
): unknown[] => {
  const schema = schemaOf(document, value, budget)
  if ('const' in schema) return [schema.const]
  if (Array.isArray(schema.enum)) return schema.enum.filter((each) => each !== null)
  if (budget.left < 0) return []
  return alternativesOf(document, schema).flatMap((part) => collectValues(document, part, budget))
}

interface Described {
  readonly operation: Node
  /** Those of the operation and of its path, including references that are not read. */
  readonly parameters: readonly Node[]
  readonly pathName: string | undefined
}

/** @throws Violation if it is not an OpenAPI document, Untested if it is not OpenAPI 3 */
export const asDocument = (value: unknown): Node => {
  const document = asNode(value)
  const version = document.openapi ?? document.swagger
  if (typeof version !== 'string')
    return violate('an OpenAPI document', 'a document without `openapi`')
  if (typeof document.openapi === 'string' && /^3\./.test(version)) return document
  const which = short(version)
  throw new Untested('blocked', `the description is OpenAPI ${which}; only version 3 is supported`)
}

interface Path {
  readonly path: string
  readonly item: Node
}

/** The paths of a document, including references that are not read. */
export const listPaths = (document: Node): Path[] => {
  const paths = readNode(document, document.paths)
  return Object.entries(paths).map(([path, item]) => ({ path, item: resolve(document, item) }))
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export const listOperations = (document: Node, { path, item }: Path) =>
  methods
    .filter((method) => isNode(item[method]))
    .map((method) => ({ path, method, found: resolve(document, item[method]) }))

/** @throws Untested if an operation may be in another document */
export const expectAllRead = (document: Node): void => {
  for (const path of listPaths(document)) {
    expectRead(path.item)
    for (const { found } of listOperations(document, path)) expectRead(found)
  }
}

/** The operations with a stability marker, as far as their paths can be read. */
export const markersIn = (document: Node): [id: string, value: unknown][] =>
  listPaths(document)
    .flatMap((path) => listOperations(document, path))
    .filter(({ found }) => 'x-stability' in found)
    .map(({ path, method, found }) => [
      typeof found.operationId === 'string' ? found.operationId : `${method} ${path}`,
      found['x-stability'],
    ])

/**
 * Judges each one; a violation in one counts even if another could not be read.
 * @throws Untested if none has a violation and one could not be read
 */
export const judgeEach = <T>(all: readonly T[], judge: (one: T) => void): void => {
  let unread: Untested | undefined
  for (const one of all) {
    try {
      judge(one)
    } catch (error) {
      if (!(error instanceof Untested)) throw error
      unread = error
    }
  }
  if (unread) throw unread
}

/** The version may be in the paths or in the servers, and a path may end with a slash. */
const places = {
  listPets: { method: 'get', path: /(?:^|\/)pets\/?$/ },
  createPet: { method: 'post', path: /(?:^|\/)pets\/?$/ },
  getPet: { method: 'get', path: /(?:^|\/)pets\/\{[^/}]+\}\/?$/ },
} as const

export type OperationId = keyof typeof places

export const operationIds = Object.keys(places) as OperationId[]

/** A document may also describe other versions and other APIs. */
const isOfInterface = ({ path }: Path): boolean => /^(?:\/v1)?\/pets(?:\/|$)/.test(path)

/**
 * One of the three operations, found by method and path; undefined if it is missing.
 * @throws Untested if it may be in another document
 */
export const findOperation = (document: Node, id: OperationId): Described | undefined => {
  const place = places[id]
  const matching = listPaths(document).filter(({ path }) => place.path.test(path))
  const ordered = matching.toSorted(
    (a, b) => Number(isOfInterface(b)) - Number(isOfInterface(a)) || a.path.length - b.path.length,
  )
  for (const { path, item } of ordered) {
    if (!isNode(item[place.method])) {
      expectRead(item)
      continue
    }
    const operation = readNode(document, item[place.method])
    const parameters = [...asList(operation.parameters), ...asList(item.parameters)]
    return {
      operation,
      parameters: parameters.map((parameter) => resolve(document, parameter)),
      pathName: path.match(/(?<=\{)[^/}]+(?=\})/g)?.at(-1),
    }
  }
  return undefined
}

/** @throws Untested if it is missing, which one check reports */
export const operationNamed = (document: Node, id: OperationId): Described => {
  const found = findOperation(document, id)
  if (found) return found
  const message = `the description has no ${id}: see description-operation-ids`
  throw new Untested('blocked', message)
}

/** A parameter of an operation; in a path, the only one may have another name. */
export const findParameter = (
  document: Node,
  id: OperationId,
  place: 'query' | 'path',
  name: string,
): Node => {
  const { parameters, pathName } = operationNamed(document, id)
  const placed = parameters.filter((parameter) => parameter.in === place)
  const ownName = place === 'path' ? pathName : name
  const named = placed.find((parameter) => parameter.name === ownName)
  const found = named ?? (place === 'path' ? placed[0] : undefined)
  if (found) return found
  for (const node of parameters) expectRead(node)
  return violate(`the ${place} parameter ${name} of ${id}`, 'no parameter of this name')
}

/** Whether each alternative of `security` requires a key by the scheme `bearer`. */
export const isSecuredByBearer = (document: Node, operation: Node): boolean => {
  const components = readNode(document, document.components)
  const schemes = readNode(document, components.securitySchemes)
  const isBearer = (name: string): boolean => {
    const { type, scheme } = readNode(document, schemes[name])
    return type === 'http' && String(scheme).toLowerCase() === 'bearer'
  }
  const alternatives = asList(operation.security ?? document.security).map(asNode)
  return alternatives.length > 0 && alternatives.every((each) => Object.keys(each).some(isBearer))
}
