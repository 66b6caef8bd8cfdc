// The published interface description, if its address is configured.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check, observe } from '../engine/check/declare.ts'
import { short, violate } from '../engine/check/expect.ts'
import { Untested, Violation } from '../engine/check/outcome.ts'
import { readOpenapi } from '../spec/openapi.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import {
  asDocument,
  asList,
  asNode,
  collectValues,
  type Described,
  expectAllRead,
  expectRead,
  expectWhole,
  findOperation,
  findParameter,
  isSecuredByBearer,
  judgeEach,
  listOperations,
  listPaths,
  markersIn,
  type Node,
  operationIds,
  operationNamed,
  resolve,
} from './description/document.ts'
import { readFacts } from './description/facts.ts'

/** The only check that fails if there is no document. */
const failsWithoutDocument = 'version-1-0-0'

const documentFor = async (id: string, { description }: Context): Promise<Node> => {
  try {
    return asDocument(await description())
  } catch (error) {
    if (!(error instanceof Violation) || id === failsWithoutDocument) throw error
    const check = `description-${failsWithoutDocument}`
    const message = `the description is not an OpenAPI document: see ${check}`
    throw new Untested('blocked', message)
  }
}

const shared = {
  needs: { stage: 'unauthenticated', keyed: 0, anonymous: 0, description: true },
  sends: 'A GET of the document at the address of `--description`, once per run, without a key.',
  inconclusive:
    'the document is not served, is longer than 1 MiB, takes too long to resolve, is ' +
    'not OpenAPI 3, or lacks the operation (blocked); it refers to another document, which is ' +
    'never fetched (ambiguous)',
} as const

const described = (
  id: string,
  requirement: BindingRequirementId,
  fails: string,
  judge: (document: Node) => void,
): AnyCheck =>
  check({
    ...shared,
    id: `description-${id}`,
    requirement,
    fails,
    run: async (context) => judge(await documentFor(id, context)),
  })

const shown = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : short(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)))

/** @param node where it is stated; a part of it may be in another document */
const expectStated = (node: Node, holds: boolean, expected: string, found: unknown): void => {
  if (holds) return
  expectRead(node)
  violate(expected, shown(found))
}

const eachOperation = (judge: (described: Described, document: Node) => void) => (document: Node) =>
  judgeEach(operationIds, (id) => judge(operationNamed(document, id), document))

const judgeOperationIds = (document: Node): void =>
  judgeEach(operationIds, (id) => {
    const found = findOperation(document, id)
    if (!found) return violate(`the operation ${id}`, 'no operation with its method and path')
    const { operationId } = found.operation
    expectStated(found.operation, operationId === id, `operationId ${id}`, operationId)
  })

/** Compares by digits, since large numbers of the document are bigints. */
const isNumber = (value: unknown, wanted: number): boolean =>
  (typeof value === 'number' || typeof value === 'bigint') && String(value) === String(wanted)

/** Whether an integer has this bound: as inclusive, or the next number as exclusive bound. */
const isBound = (schema: Node, side: 'minimum' | 'maximum', wanted: number): boolean => {
  const outside = side === 'minimum' ? wanted - 1 : wanted + 1
  const exclusive = schema[side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum']
  if (exclusive === true) return isNumber(schema[side], outside)
  return isNumber(schema[side], wanted) || isNumber(exclusive, outside)
}

const expectInteger = (schema: Node, name: string): void => {
  const isInteger = asList([schema.type].flat()).includes('integer')
  expectStated(schema, isInteger, `${name} of type integer`, schema)
}

const judgeLimit = (document: Node): void => {
  const list = operationNamed(document, 'listPets')
  const { parameter, schema } = findParameter(document, list, 'query', 'limit')
  expectStated(parameter, parameter.required !== true, 'limit not required', parameter)
  expectInteger(schema, 'limit')
  expectStated(schema, isBound(schema, 'minimum', 1), 'limit with minimum 1', schema)
  expectStated(schema, isBound(schema, 'maximum', 100), 'limit with maximum 100', schema)
  // Some generators write a default as a string.
  const isDefault = isNumber(schema.default, 20) || schema.default === '20'
  expectStated(schema, isDefault, 'limit with default 20', schema)
}

const statuses = 'available, pending, sold'

const judgeStatus = (document: Node): void => {
  const list = operationNamed(document, 'listPets')
  const { schema } = findParameter(document, list, 'query', 'status')
  const values = new Set(collectValues(document, schema).map(String))
  const isMet = [...values].sort().join(', ') === statuses
  expectStated(schema, isMet, `status one of ${statuses}`, schema)
}

const judgePetId = (document: Node): void => {
  const get = operationNamed(document, 'getPet')
  const { schema } = findParameter(document, get, 'path', get.pathName)
  expectInteger(schema, 'petId')
  expectStated(schema, schema.format === 'int64', 'petId of format int64', schema)
}

const judgeBearer = eachOperation(({ id, operation }, document) => {
  if (isSecuredByBearer(document, operation)) return
  expectWhole(document)
  violate(`${id} secured by HTTP bearer`, shown(operation.security ?? document.security))
})

const judgeStability = (document: Node): void => {
  for (const [id, value] of markersIn(document)) {
    const isKnown = value === 'experimental' || value === 'beta'
    if (!isKnown) violate(`x-stability of ${id} experimental or beta`, shown(value))
  }
  expectAllRead(document)
}

const judgeAbsence =
  (...names: string[]) =>
  (document: Node): void => {
    const paths = listPaths(document)
    // The paths may begin with a prefix, such as the name of the service.
    const [prefix = ''] = paths.flatMap(({ path }) => /^(.*\/v1)\/pets\/?$/.exec(path)?.[1] ?? [])
    const named = paths.filter(({ path }) => {
      const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
      return below.split('/').some((part) => names.includes(part.toLowerCase()))
    })
    judgeEach(named, (path) => {
      const [found] = listOperations(document, path)
      const expected = `no operation under ${names.join(' or ')}`
      if (found) violate(expected, `${found.method} ${found.path}`)
      expectRead(path.item)
    })
  }

/** A document with paths that does not say what it is. */
const expectNamed = ({ openapi, swagger, paths }: Node): void => {
  if (paths === undefined || openapi !== undefined || swagger !== undefined) return
  violate('`openapi`, as in the document of the interface', 'paths without it')
}

/** All that the document of the interface states is stated, read in the same way. */
const judgeWhole = (document: Node): void => {
  expectWhole(document)
  const stated = readFacts(document)
  for (const [about, wanted] of readFacts(readOpenapi() as unknown as Node)) {
    const found = stated.get(about)
    if (found !== undefined && found !== wanted) violate(`${about}: ${wanted}`, found)
  }
  judgeAbsence('store', 'animals', 'domains', 'projects')(document)
}

export const description: readonly AnyCheck[] = [
  described(
    failsWithoutDocument,
    'version.description',
    '`info.version` is not 1.0.0, or there is no OpenAPI document at the address.',
    (document) => {
      const info = resolve(document, document.info)
      expectStated(info, info.version === '1.0.0', 'info.version 1.0.0', info.version)
    },
  ),
  described(
    'tag-animals',
    'service.tag',
    'One of the three operations is not under the tag `animals`.',
    eachOperation(({ id, operation }) => {
      const { tags } = operation
      expectStated(operation, asList(tags).includes('animals'), `${id} under the tag animals`, tags)
    }),
  ),
  described(
    'operation-ids',
    'service.operation-ids',
    'An operation is missing, or has another id than `listPets`, `createPet` or `getPet`.',
    judgeOperationIds,
  ),
  described(
    'limit-bounds',
    'bounds.limit',
    '`limit` is required, not an integer, or lacks the bounds 1 and 100 (inclusive or exclusive) ' +
      'or the default 20.',
    judgeLimit,
  ),
  described(
    'status-values',
    'pet-status.values',
    '`status` has other values than `available`, `pending` and `sold`.',
    judgeStatus,
  ),
  described(
    'pet-id-int64',
    'get.id-parameter',
    '`petId` is not an integer with the format int64.',
    judgePetId,
  ),
  described(
    'get-deprecated',
    'get.deprecated',
    '`getPet` is not marked `deprecated: true`.',
    (document) => {
      const { operation } = operationNamed(document, 'getPet')
      const { deprecated } = operation
      expectStated(operation, deprecated === true, 'getPet with deprecated: true', deprecated)
    },
  ),
  described(
    'scheme-bearer',
    'auth.scheme',
    'An operation does not require the security scheme HTTP bearer.',
    judgeBearer,
  ),
  check({
    ...shared,
    id: 'description-as-interface',
    requirement: 'version.description',
    fails:
      'Compared as a whole with the document of the interface: another version, operation, tag, ' +
      'security, parameter or required member, or an operation under a group or the dashboard; ' +
      'or it has paths, but does not say that it is OpenAPI.',
    run: async (context) => {
      expectNamed(asNode(await context.description()))
      judgeWhole(await documentFor('as-interface', context))
    },
  }),
  described(
    'stability-values',
    'service.stability',
    'A marker `x-stability` is neither `experimental` nor `beta`.',
    judgeStability,
  ),
  described(
    'no-group-operation',
    'service.groups',
    'There is an operation under `store` or `animals`.',
    judgeAbsence('store', 'animals'),
  ),
  described(
    'no-publishing-operation',
    'publishing.no-operation',
    'There is an operation under `domains` or `projects`.',
    judgeAbsence('domains', 'projects'),
  ),

  observe({
    ...shared,
    id: 'description-stability',
    requirement: 'service.stability-which',
    records: 'Which operations carry which marker.',
    run: async (context) => {
      const document = await documentFor('stability', context)
      expectAllRead(document)
      return (
        markersIn(document)
          .map(([id, value]) => `${id} ${value}`)
          .join(', ') || 'none'
      )
    },
  }),
]
