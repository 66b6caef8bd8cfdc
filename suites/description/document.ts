// Reads a published OpenAPI document, 3.0 or 3.1. References within it are followed as it is read,
// references to other documents are never fetched.

import { Untested } from '../../history/outcome.ts'
import { short, violate, violateAs } from '../../model/clause.ts'

/** An object of the document, its values unchecked. */
export type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const asNode = (value: unknown): Node => (isNode(value) ? value : {})

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** References that are followed: schemas may contain themselves. */
const maxFollowed = 1_000

/** A step of a JSON pointer in a URL: percent-encoded as a whole (RFC 6901, 6). */
const unescapeStep = (step: string): string => {
  // A single % is not an escape.
  const text = /%(?![0-9a-f]{2})/i.test(step) ? step : decodeURIComponent(step)
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

/**
 * A document whose members are what they refer to, with the members next to the reference; what
 * refers to itself, or to nothing, is not there. Reading throws Untested where a reference is to
 * another document, or too many are followed.
 */
const followed = (document: Node): Node => {
  let left = maxFollowed
  const resolve = (value: unknown, from: readonly string[] = []): unknown => {
    if (!isNode(value) || typeof value.$ref !== 'string') return value
    const { $ref, ...own } = value
    if (from.includes($ref)) return undefined
    left -= 1
    if (!/^#(?:\/|$)/.test($ref)) {
      const message = 'the description refers to another document, which is not fetched'
      throw new Untested('ambiguous', message)
    }
    if (left < 0) throw new Untested('blocked', 'the references of the description do not end')
    const steps = $ref.split('/').slice(1).map(unescapeStep)
    const path = [...from, $ref]
    const target = steps.reduce<unknown>((at, step) => Object(resolve(at, path))[step], document)
    const found = isNode(target) ? resolve(target, path) : undefined
    return found === undefined && Object.keys(own).length === 0
      ? undefined
      : { ...asNode(found), ...own }
  }
  const view = (value: unknown): unknown => {
    const node = resolve(value)
    if (typeof node !== 'object' || node === null) return node
    return new Proxy(node, { get: (target, name) => view(Reflect.get(target, name)) })
  }
  return asNode(view(document))
}

/** @throws Violation if it is not an OpenAPI document, Untested if it is not OpenAPI 3 */
export const openDocument = (value: unknown): Node => {
  const document = asNode(value)
  const version = document.openapi ?? document.swagger
  if (typeof version !== 'string')
    return violate('an OpenAPI document', 'a document without `openapi`')
  if (document.openapi === version && version.startsWith('3.')) return followed(document)
  const which = short(version)
  throw new Untested('blocked', `the description is OpenAPI ${which}; only version 3 is supported`)
}

const isNull = ({ type, const: constant, enum: values }: Node): boolean =>
  type === 'null' ||
  constant === null ||
  (Array.isArray(values) && values.length > 0 && values.every((each) => each === null))

/** The alternatives of a schema, except null. */
const alternativesOf = ({ anyOf, oneOf }: Node): readonly Node[] =>
  [...asList(anyOf), ...asList(oneOf)].map(asNode).filter((part) => !isNull(part))

/** A schema merged with the parts of its `allOf`, and with its only alternative to null. */
export const schemaOf = (value: unknown): Node => {
  const { allOf, ...own } = asNode(value)
  const alternatives = alternativesOf(own)
  const parts = [...asList(allOf), ...(alternatives.length === 1 ? alternatives : [])]
  return Object.assign({}, ...parts.map(schemaOf), own)
}

/** The values that a schema lists, by `enum`, `const` or as alternatives, except null. */
export const collectValues = (value: unknown): readonly unknown[] => {
  const schema = schemaOf(value)
  if ('const' in schema) return [schema.const]
  if (Array.isArray(schema.enum)) return schema.enum.filter((each) => each !== null)
  return alternativesOf(schema).flatMap(collectValues)
}

export const pathsOf = ({ paths }: Node): readonly string[] => Object.keys(asNode(paths))

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The operations at a path, as `get /pets`. */
export const operationsAt = ({ paths }: Node, path: string): readonly string[] => {
  const item = asNode(asNode(paths)[path])
  return methods.filter((method) => isNode(item[method])).map((method) => `${method} ${path}`)
}

/** The version may be in the paths or in the servers, and a path may end with a slash. */
const places = {
  listPets: ['get', /(?:^|\/)pets\/?$/],
  createPet: ['post', /(?:^|\/)pets\/?$/],
  getPet: ['get', /(?:^|\/)pets\/\{[^/}]+\}\/?$/],
} as const

export type OperationId = keyof typeof places

export const operationIds = Object.keys(places) as OperationId[]

/** A document may also describe other versions and other APIs. */
const isOfInterface = (path: string): boolean => /^(?:\/v1)?\/pets(?:\/|$)/.test(path)

/** One of the three operations, found by method and path; undefined if it is missing. */
export const findOperation = (document: Node, id: OperationId) => {
  const [method, place] = places[id]
  const itemOf = (path: string) => asNode(asNode(document.paths)[path])
  const path = pathsOf(document)
    .filter((each) => place.test(each))
    .sort((a, b) => Number(isOfInterface(b)) - Number(isOfInterface(a)) || a.length - b.length)
    .find((each) => isNode(itemOf(each)[method]))
  if (path === undefined) return undefined
  const operation = asNode(itemOf(path)[method])
  const parameters = [...asList(operation.parameters), ...asList(itemOf(path).parameters)]
  return { path, operation, parameters: parameters.map(asNode) }
}

/** @throws Untested if it is missing, which one check reports */
export const operationNamed = (document: Node, id: OperationId) => {
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
  const { path, parameters } = operationNamed(document, id)
  const placed = parameters.filter((parameter) => parameter.in === place)
  const isNamed = (own: unknown) =>
    place === 'path' ? path.includes(`pets/{${own}}`) : own === name
  const found = placed.find((parameter) => isNamed(parameter.name))
  const only = place === 'path' ? placed[0] : undefined
  const missing = `the ${place} parameter ${name} of ${id}`
  const wrong = { aspect: 'behaviour', name: missing } as const
  return found ?? only ?? violateAs(wrong, missing, 'no parameter of this name')
}

/** Whether each alternative of `security` requires a key by the scheme `bearer`. */
export const isSecuredByBearer = (document: Node, operation: Node): boolean => {
  const schemes = asNode(asNode(document.components).securitySchemes)
  const isBearer = (name: string): boolean => {
    const { type, scheme } = asNode(schemes[name])
    return type === 'http' && String(scheme).toLowerCase() === 'bearer'
  }
  const alternatives = asList(operation.security ?? document.security).map(asNode)
  return alternatives.length > 0 && alternatives.every((each) => Object.keys(each).some(isBearer))
}
