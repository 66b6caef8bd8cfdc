// Judges a published description: each function throws a Violation if it contradicts the interface.
import { short, violate } from '../../engine/expect.ts'
import {
  type Described,
  expectRead,
  findOperation,
  judgeEach,
  listOf,
  type Node,
  nodeOf,
  operationIds,
  operationNamed,
  operationsOf,
  pathsOf,
  resolve,
  schemaOf,
  valuesOf,
} from './document.ts'

const shown = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : short(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)))

/** Compares by digits, since large numbers of the document are bigints. */
const isNumber = (value: unknown, wanted: number): boolean =>
  (typeof value === 'number' || typeof value === 'bigint') && String(value) === String(wanted)

/** @param node where it is stated; a part of it may be in another document */
const expectStated = (node: Node, holds: boolean, expected: string, found: unknown): void => {
  if (holds) return
  expectRead(node)
  violate(expected, shown(found))
}

export const judgeVersion = (document: Node): void => {
  const info = resolve(document, document.info)
  expectStated(info, info.version === '1.0.0', 'info.version 1.0.0', info.version)
}

const eachOperation = (document: Node, judge: (described: Described) => void): void =>
  judgeEach(operationIds, (id) => judge(operationNamed(document, id)))

export const judgeTag = (document: Node): void =>
  eachOperation(document, ({ id, operation }) => {
    const { tags } = operation
    expectStated(operation, listOf(tags).includes('animals'), `${id} under the tag animals`, tags)
  })

export const judgeOperationIds = (document: Node): void =>
  judgeEach(operationIds, (id) => {
    const found = findOperation(document, id)
    if (!found) return violate(`the operation ${id}`, 'no operation with its method and path')
    const { operationId } = found.operation
    expectStated(found.operation, operationId === id, `operationId ${id}`, operationId)
  })

const parameterOf = (
  { id, operation, parameters }: Described,
  place: string,
  name: string | undefined,
): { parameter: Node; schema: Node } => {
  const placed = parameters.filter((parameter) => parameter.in === place)
  const found =
    placed.find((parameter) => parameter.name === name) ??
    (place === 'path' ? placed[0] : undefined)
  if (!found) {
    for (const node of [operation, ...parameters]) expectRead(node)
    return violate(
      `the ${place} parameter ${name ?? 'petId'} of ${id}`,
      'no parameter of this name',
    )
  }
  const [content] = Object.values(nodeOf(found.content))
  return { parameter: found, schema: nodeOf(found.schema ?? nodeOf(content).schema) }
}

/** Whether an integer has this bound: as inclusive, or the next number as exclusive bound. */
const isBound = (schema: Node, side: 'minimum' | 'maximum', wanted: number): boolean => {
  const outside = side === 'minimum' ? wanted - 1 : wanted + 1
  const exclusive = schema[side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum']
  if (exclusive === true) return isNumber(schema[side], outside)
  return isNumber(schema[side], wanted) || isNumber(exclusive, outside)
}

/** Some generators write a default as a string. */
const isDefault = (value: unknown, wanted: number): boolean =>
  isNumber(value, wanted) || value === String(wanted)

export const judgeLimit = (document: Node): void => {
  const list = operationNamed(document, 'listPets')
  const { parameter, schema: given } = parameterOf(list, 'query', 'limit')
  const schema = schemaOf(document, given)
  expectStated(parameter, parameter.required !== true, 'limit not required', parameter)
  expectStated(
    schema,
    listOf([schema.type].flat()).includes('integer'),
    'limit of type integer',
    schema,
  )
  expectStated(schema, isBound(schema, 'minimum', 1), 'limit with minimum 1', schema)
  expectStated(schema, isBound(schema, 'maximum', 100), 'limit with maximum 100', schema)
  expectStated(schema, isDefault(schema.default, 20), 'limit with default 20', schema)
}

const statuses = 'available, pending, sold'

export const judgeStatus = (document: Node): void => {
  const list = operationNamed(document, 'listPets')
  const { schema } = parameterOf(list, 'query', 'status')
  const values = new Set(valuesOf(document, schema).map(String))
  const isMet = [...values].sort().join(', ') === statuses
  const whole = schemaOf(document, schema)
  expectStated(whole, isMet, `status one of ${statuses}`, whole)
}

export const judgePetId = (document: Node): void => {
  const get = operationNamed(document, 'getPet')
  const { schema: given } = parameterOf(get, 'path', get.pathName)
  const schema = schemaOf(document, given)
  expectStated(
    schema,
    listOf([schema.type].flat()).includes('integer'),
    'petId of type integer',
    schema,
  )
  expectStated(schema, schema.format === 'int64', 'petId of format int64', schema)
}

export const judgeDeprecated = (document: Node): void => {
  const { operation } = operationNamed(document, 'getPet')
  const { deprecated } = operation
  expectStated(operation, deprecated === true, 'getPet with deprecated: true', deprecated)
}

/** Each alternative of `security` must require a key by the scheme `bearer`. */
export const judgeBearer = (document: Node): void => {
  const components = resolve(document, document.components)
  const schemes = resolve(document, components.securitySchemes)
  const schemeOf = (name: string): Node => resolve(document, schemes[name])
  const isBearer = (name: string): boolean => {
    const { type, scheme } = schemeOf(name)
    return type === 'http' && String(scheme).toLowerCase() === 'bearer'
  }
  eachOperation(document, ({ id, operation }) => {
    const alternatives = listOf(operation.security ?? document.security).map(nodeOf)
    const names = alternatives.flatMap((each) => Object.keys(each))
    const isMet = alternatives.every((each) => Object.keys(each).some(isBearer))
    if (alternatives.length > 0 && isMet) return
    for (const node of [operation, components, schemes, ...names.map(schemeOf)]) expectRead(node)
    violate(`${id} secured by HTTP bearer`, shown(alternatives))
  })
}

/** The operations with a marker, as far as their paths can be read. */
const markedIn = (document: Node): [id: string, value: unknown][] =>
  pathsOf(document)
    .flatMap((path) => operationsOf(document, path))
    .filter(({ found }) => 'x-stability' in found)
    .map(({ path, method, found }) => [
      typeof found.operationId === 'string' ? found.operationId : `${method} ${path}`,
      found['x-stability'],
    ])

const expectAllRead = (document: Node): void => {
  for (const path of pathsOf(document)) {
    expectRead(path.item)
    for (const { found } of operationsOf(document, path)) expectRead(found)
  }
}

/** @throws Untested if an operation that cannot be read may have one */
export const stabilityOf = (document: Node): [id: string, value: unknown][] => {
  expectAllRead(document)
  return markedIn(document)
}

export const judgeStability = (document: Node): void => {
  for (const [id, value] of markedIn(document)) {
    const isKnown = value === 'experimental' || value === 'beta'
    if (!isKnown) violate(`x-stability of ${id} experimental or beta`, shown(value))
  }
  expectAllRead(document)
}

/** The prefix of the paths, such as the name of the service. */
const prefixOf = (document: Node): string => {
  const paths = pathsOf(document).map(({ path }) => path)
  const [base = ''] = paths.flatMap((path) => /^(.*\/v1)\/pets\/?$/.exec(path)?.[1] ?? [])
  return base
}

/** No operation is under one of these names. */
export const judgeAbsence = (document: Node, names: readonly string[]): void => {
  const prefix = prefixOf(document)
  const named = pathsOf(document).filter(({ path }) => {
    const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
    return below.split('/').some((part) => names.includes(part.toLowerCase()))
  })
  judgeEach(named, (path) => {
    const [found] = operationsOf(document, path)
    const expected = `no operation under ${names.join(' or ')}`
    if (found) violate(expected, `${found.method} ${found.path}`)
    expectRead(path.item)
  })
}
