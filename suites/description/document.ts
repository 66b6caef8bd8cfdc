// A published OpenAPI document, 3.0 or 3.1, read as what it says of the three operations.
import { short, violate } from '../../engine/expect.ts'
import { Untested } from '../../engine/outcome.ts'
import type { Node } from './nodes.ts'
import { expectRead, isNode, listOf, nodeOf, resolve } from './nodes.ts'

export interface Described {
  readonly id: string
  readonly operation: Node
  /** Of the operation and of its path; one that is not read may be any of them. */
  readonly parameters: readonly Node[]
  /** The last name in braces of its path. */
  readonly pathName: string | undefined
}

/** @throws Violation where it is no OpenAPI document, Untested where it is not of OpenAPI 3 */
export const asDocument = (value: unknown): Node => {
  const document = nodeOf(value)
  const version = document.openapi ?? document.swagger
  if (typeof version !== 'string')
    return violate('an OpenAPI document', 'none: it has no `openapi`')
  if (typeof document.openapi === 'string' && /^3\./.test(version)) return document
  const which = short(version)
  throw new Untested('blocked', `the description is of OpenAPI ${which}, and only 3 is read`)
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

export interface Path {
  readonly path: string
  readonly item: Node
}

/** The paths of a document; the operations of one that is not read may be any. */
export const pathsOf = (document: Node): Path[] => {
  const paths = resolve(document, document.paths)
  expectRead(paths)
  return Object.entries(paths).map(([path, item]) => ({ path, item: resolve(document, item) }))
}

export interface Operation {
  readonly path: string
  readonly method: string
  readonly found: Node
}

/** The operations of a path, as far as they are read. */
export const operationsOf = (document: Node, { path, item }: Path): Operation[] =>
  methods
    .filter((method) => isNode(item[method]))
    .map((method) => ({ path, method, found: resolve(document, item[method]) }))

/**
 * Judges each of several: a fault in one of them counts, whether or not another one was read.
 * @throws Untested where none has a fault, and one was not read
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

/** The version may be in the paths or in the servers, and routers may end a path with a slash. */
const places = [
  { id: 'listPets', method: 'get', path: /(?:^|\/)pets\/?$/ },
  { id: 'createPet', method: 'post', path: /(?:^|\/)pets\/?$/ },
  { id: 'getPet', method: 'get', path: /(?:^|\/)pets\/\{[^/}]+\}\/?$/ },
] as const

/** A document may describe other versions and other callers as well. */
const isOfInterface = ({ path }: Path): boolean => /^(?:\/v1)?\/pets(?:\/|$)/.test(path)

/**
 * One of the three operations, found by method and path; undefined where it is missing.
 * @throws Untested where it may be in another document
 */
export const findOperation = (document: Node, id: string): Described | undefined => {
  const place = places.find((each) => each.id === id)
  const meant = pathsOf(document).filter(({ path }) => place?.path.test(path))
  const ordered = meant.toSorted(
    (a, b) => Number(isOfInterface(b)) - Number(isOfInterface(a)) || a.path.length - b.path.length,
  )
  for (const path of ordered) {
    const found = operationsOf(document, path).find(({ method }) => method === place?.method)
    if (!found) {
      expectRead(path.item)
      continue
    }
    const parameters = [...listOf(found.found.parameters), ...listOf(path.item.parameters)]
    return {
      id,
      operation: found.found,
      parameters: parameters.map((parameter) => resolve(document, parameter)),
      pathName: path.path
        .match(/\{[^/}]+\}/g)
        ?.at(-1)
        ?.slice(1, -1),
    }
  }
  return undefined
}

export const operationIds = places.map(({ id }) => id)

/** @throws Untested where it is missing, which one check reports for all of them */
export const operationNamed = (document: Node, id: string): Described => {
  const found = findOperation(document, id)
  if (found) return found
  const message = `the description has no ${id}, which description-operation-ids reports`
  throw new Untested('blocked', message)
}
