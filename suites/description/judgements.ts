// What a published description must say; each judgement throws a Violation where it does not.
import { short, violate } from '../kit/expect.ts'
import type { Described, Node } from './document.ts'
import {
  allOperations,
  interfaceOperations,
  listOf,
  nodeOf,
  operationNamed,
  resolve,
  schemaOf,
} from './document.ts'

const shown = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : short(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)))

/** Numbers of a document are compared by their digits: some readers make bigints of them. */
const isNumber = (value: unknown, wanted: number): boolean =>
  (typeof value === 'number' || typeof value === 'bigint') && String(value) === String(wanted)

const demand = (holds: boolean, expected: string, found: unknown): void => {
  if (!holds) violate(expected, shown(found))
}

export const judgeVersion = (document: Node): void => {
  const { version } = nodeOf(document.info)
  demand(version === '1.0.0', 'info.version 1.0.0', version)
}

const eachOperation = (document: Node, judge: (described: Described) => void): void =>
  interfaceOperations(document).forEach(judge)

export const judgeTag = (document: Node): void =>
  eachOperation(document, ({ id, operation: { tags } }) => {
    demand(listOf(tags).includes('animals'), `${id} under the tag animals`, tags)
  })

export const judgeOperationIds = (document: Node): void =>
  eachOperation(document, ({ id, operation: { operationId } }) => {
    demand(operationId === id, `operationId ${id}`, operationId)
  })

const parameterOf = (document: Node, id: string, name: string | undefined, place: string): Node => {
  const { parameters } = operationNamed(document, id)
  const found = parameters.find(
    (parameter) => parameter.in === place && (name === undefined || parameter.name === name),
  )
  return found ?? violate(`the ${place} parameter ${name ?? 'petId'} of ${id}`, 'none')
}

/** Whether the least (or the most) of an integer is this: the bound itself, or the next outside. */
const isBound = (schema: Node, side: 'minimum' | 'maximum', wanted: number): boolean => {
  const outside = side === 'minimum' ? wanted - 1 : wanted + 1
  const exclusive = schema[side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum']
  if (exclusive === true) return isNumber(schema[side], outside)
  return isNumber(schema[side], wanted) || isNumber(exclusive, outside)
}

export const judgeLimit = (document: Node): void => {
  const parameter = parameterOf(document, 'listPets', 'limit', 'query')
  const schema = schemaOf(document, parameter.schema)
  demand(parameter.required !== true, 'limit not required', parameter)
  demand(listOf([schema.type].flat()).includes('integer'), 'limit of type integer', schema)
  demand(isBound(schema, 'minimum', 1), 'limit with minimum 1', schema)
  demand(isBound(schema, 'maximum', 100), 'limit with maximum 100', schema)
  demand(isNumber(schema.default, 20), 'limit with default 20', schema)
}

const statuses = 'available, pending, sold'

export const judgeStatus = (document: Node): void => {
  const parameter = parameterOf(document, 'listPets', 'status', 'query')
  const schema = schemaOf(document, parameter.schema)
  const values = listOf(schema.enum).filter((value) => value !== null)
  demand(values.map(String).sort().join(', ') === statuses, `status one of ${statuses}`, schema)
}

export const judgePetId = (document: Node): void => {
  const parameter = parameterOf(document, 'getPet', undefined, 'path')
  const schema = schemaOf(document, parameter.schema)
  demand(listOf([schema.type].flat()).includes('integer'), 'petId of type integer', schema)
  demand(schema.format === 'int64', 'petId of format int64', schema)
}

export const judgeDeprecated = (document: Node): void => {
  const { deprecated } = operationNamed(document, 'getPet').operation
  demand(deprecated === true, 'getPet with deprecated: true', deprecated)
}

/** Each alternative of `security` must ask for a key, and by the scheme `bearer`. */
export const judgeBearer = (document: Node): void => {
  const schemes = nodeOf(nodeOf(document.components).securitySchemes)
  const isBearer = (name: string): boolean => {
    const { type, scheme } = resolve(document, schemes[name])
    return type === 'http' && String(scheme).toLowerCase() === 'bearer'
  }
  eachOperation(document, ({ id, operation }) => {
    const alternatives = listOf(operation.security ?? document.security).map(nodeOf)
    const asksForKey = alternatives.every((names) => Object.keys(names).some(isBearer))
    demand(alternatives.length > 0 && asksForKey, `${id} secured by HTTP bearer`, alternatives)
  })
}

export const stabilityOf = (document: Node): [id: string, value: unknown][] =>
  allOperations(document)
    .filter(({ found }) => 'x-stability' in found)
    .map(({ path, method, found }) => [
      typeof found.operationId === 'string' ? found.operationId : `${method} ${path}`,
      found['x-stability'],
    ])

export const judgeStability = (document: Node): void => {
  for (const [id, value] of stabilityOf(document)) {
    const isKnown = value === 'experimental' || value === 'beta'
    demand(isKnown, `x-stability of ${id} experimental or beta`, value)
  }
}

/** No operation stands under one of these names. */
export const judgeAbsence = (document: Node, names: readonly string[]): void => {
  const found = allOperations(document).find(({ path }) =>
    path.split('/').some((part) => names.includes(part.toLowerCase())),
  )
  demand(
    !found,
    `no operation under ${names.join(' or ')}`,
    found && `${found.method} ${found.path}`,
  )
}
