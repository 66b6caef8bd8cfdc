// What a description promises, as facts: one reading for the document of the interface and for a
// published one, so that they can be compared as a whole.

import {
  asList,
  asNode,
  collectValues,
  findBodySchema,
  findOperation,
  findParameter,
  isSecuredByBearer,
  type Node,
  operationIds,
  resolve,
} from './document.ts'

type Facts = ReadonlyMap<string, string>

const typesIn = ({ type }: Node): string =>
  asList([type].flat())
    .filter((each) => each !== 'null')
    .join(' or ')

/** An inclusive bound, also where it is given as an exclusive one. */
const boundOf = (schema: Node, side: 'minimum' | 'maximum'): string => {
  const exclusive = schema[side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum']
  const inward = side === 'minimum' ? 1 : -1
  if (exclusive === true) return String(Number(schema[side]) + inward)
  if (exclusive !== undefined) return String(Number(exclusive) + inward)
  return String(schema[side])
}

const parameters = [
  ['listPets', 'query', 'limit'],
  ['listPets', 'query', 'status'],
  ['getPet', 'path', undefined],
] as const

type Fact = [about: string, value: string]

const parameterFacts = (document: Node): Fact[] =>
  parameters.flatMap(([id, place, name]): Fact[] => {
    const operation = findOperation(document, id)
    if (!operation) return []
    const own = name ?? operation.pathName
    const { parameter, schema } = findParameter(document, operation, place, own)
    const about = `${name ?? 'petId'} of ${id}`
    return [
      [`${about}, required`, String(parameter.required === true)],
      // Some generators write a default as a string.
      [`${about}, default`, String(schema.default)],
      [`${about}, values`, collectValues(document, schema).map(String).sort().join(', ')],
      ...(name === 'status' ? [] : [[`${about}, type`, typesIn(schema)] as Fact]),
      ...(name === 'limit'
        ? (['minimum', 'maximum'] as const).map(
            (side): Fact => [`${about}, ${side}`, boundOf(schema, side)],
          )
        : []),
      ...(name === undefined ? [[`${about}, format`, String(schema.format)] as Fact] : []),
    ]
  })

/** What a creation requires; a document need not describe its body. */
const bodyFacts = (document: Node): Fact[] => {
  const schema = findBodySchema(document, 'createPet')
  if (!schema || Object.keys(asNode(schema.properties)).length === 0) return []
  const required = asList(schema.required).map(String).sort().join(', ')
  return [['members that createPet requires', required]]
}

const operationFacts = (document: Node): Fact[] =>
  operationIds.flatMap((id): Fact[] => {
    const operation = findOperation(document, id)?.operation
    if (!operation) return [[`the operation ${id}`, 'missing']]
    return [
      [`the operation ${id}`, 'there'],
      [`the operationId of ${id}`, String(operation.operationId)],
      [`${id} under the tag animals`, String(asList(operation.tags).includes('animals'))],
      ...(id === 'getPet' ? [[`${id}, deprecated`, String(operation.deprecated)] as Fact] : []),
      [`${id} secured by HTTP bearer`, String(isSecuredByBearer(document, operation))],
    ]
  })

export const readFacts = (document: Node): Facts =>
  new Map([
    ['the version', String(resolve(document, document.info).version)],
    ...operationFacts(document),
    ...parameterFacts(document),
    ...bodyFacts(document),
  ])
