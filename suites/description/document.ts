// A published OpenAPI document, 3.0 or 3.1, read as what it says of the three operations.
import { short, violate } from '../kit/expect.ts'
import { Untested } from '../kit/outcome.ts'

/** An object of the document; its values are not known to be anything. */
export type Node = Readonly<Record<string, unknown>>

export interface Described {
  readonly id: string
  readonly operation: Node
  /** Of the operation and of its path. */
  readonly parameters: readonly Node[]
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

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

/** References followed in a row, before they count as a circle. */
const referencesMost = 16

/** A node, or what it refers to within this document. */
export const resolve = (document: Node, value: unknown): Node => {
  let node = nodeOf(value)
  for (let followed = 0; followed < referencesMost; followed++) {
    const { $ref } = node
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return node
    const steps = $ref.slice(2).split('/').map(unescapePointer)
    node = nodeOf(steps.reduce<unknown>((at, step) => nodeOf(at)[step], document))
  }
  return node
}

const unescapePointer = (step: string): string => {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A schema with the parts of its `allOf` put together, one level deep. */
export const schemaOf = (document: Node, value: unknown): Node => {
  const { allOf, ...own } = resolve(document, value)
  const parts = listOf(allOf).map((part) => resolve(document, part))
  return Object.assign({}, ...parts, own)
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Every operation of the document, with the path it stands at. */
export const allOperations = (document: Node): { path: string; method: string; found: Node }[] =>
  Object.entries(nodeOf(document.paths)).flatMap(([path, item]) => {
    const node = resolve(document, item)
    return methods
      .filter((method) => isNode(node[method]))
      .map((method) => ({ path, method, found: nodeOf(node[method]) }))
  })

/** The version may stand in the paths or in the servers. */
const places = [
  { id: 'listPets', method: 'get', path: /(?:^|\/)pets$/ },
  { id: 'createPet', method: 'post', path: /(?:^|\/)pets$/ },
  { id: 'getPet', method: 'get', path: /(?:^|\/)pets\/\{[^/}]+\}$/ },
] as const

/**
 * The three operations of the interface, found by method and path.
 * @throws Violation where one is missing
 */
export const interfaceOperations = (document: Node): Described[] =>
  places.map(({ id, method, path: wanted }) => {
    const place = allOperations(document).find(
      ({ path, method: given }) => given === method && wanted.test(path),
    )
    if (!place) return violate(`the operation ${id}`, 'no operation of its method and path')
    const item = resolve(document, nodeOf(document.paths)[place.path])
    const parameters = [...listOf(place.found.parameters), ...listOf(item.parameters)]
    return {
      id,
      operation: place.found,
      parameters: parameters.map((parameter) => resolve(document, parameter)),
    }
  })

/** One of the three operations, by its id in the interface. */
export const operationNamed = (document: Node, id: string): Described => {
  const found = interfaceOperations(document).find((described) => described.id === id)
  return found ?? violate(`the operation ${id}`, 'no such operation')
}
