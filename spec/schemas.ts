// The validators, compiled from the OpenAPI document and from other JSON Schemas; ajv's door.
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { readOpenapi } from './openapi.ts'

/** Undefined when the value is valid, else one line that says what is wrong. */
type Validator = (value: unknown) => string | undefined

const options: Options = {
  // All are our own: strict mode finds a misspelt keyword.
  ...{ strict: true, meta: false, validateSchema: false },
  strictRequired: false,
  allowUnionTypes: true,
  validateFormats: false, // A format is an annotation in 2020-12; int64 has a keyword below.
  verbose: true,
}

/**
 * A schema over ordinary values, in which every number is a double. A fault is a demand:
 * `/port must be an integer, is "80"`.
 */
export const compileSchema = (schema: object): Validator =>
  lazily(
    () => new Ajv2020(options).compile(schema),
    (errors) => explainAll(errors, demand),
  )

export interface SchemaFault {
  /** `/domains/redirects/0/from` */
  readonly path: string
  readonly keyword: string
  readonly says: string
  readonly value: unknown
  /** The member that is missing, or is there and unknown. */
  readonly member: string | undefined
}

/** All that is wrong with a value; a `Validator` returns the first fault only. */
export const compileWhole = (schema: object): ((value: unknown) => SchemaFault[]) => {
  const faultsOf = lazily(
    () => new Ajv2020({ ...options, allErrors: true }).compile(schema),
    (errors) =>
      errors.map((error) => ({
        path: error.instancePath,
        keyword: error.keyword,
        says: demand(error),
        value: error.data,
        member: error.params.missingProperty ?? error.params.additionalProperty,
      })),
  )
  return (value) => faultsOf(value) ?? []
}

const lazily = <T>(
  compile: () => ValidateFunction,
  explain: (errors: readonly ErrorObject[]) => T,
) => {
  let validate: ValidateFunction | undefined
  return (value: unknown): T | undefined => {
    validate ??= compile()
    return validate(value) ? undefined : explain(validate.errors ?? [])
  }
}

const int64 = 'an int64'

/** Compiled together, since the schemas of the interface refer to each other. */
let interfaceAjv: Ajv2020 | undefined

const compileInterface = (): Ajv2020 => {
  const ajv = new Ajv2020(options)
  ajv.addVocabulary(['components', 'schemas'])
  ajv.addKeyword({ keyword: 'exactInteger', validate: isExact, errors: false })
  const { schemas } = readOpenapi().components
  return ajv.addSchema({ $id: 'interface', components: { schemas: exact(schemas) } })
}

/** What is wrong with a body of the interface. */
export interface BodyFault {
  /** What was found: `/3/categoryId is "1", not an int64`, or `no name in /3`. */
  readonly says: string
  /** Without where the value is: `categoryId is "1", not an int64`. */
  readonly brief: string
  /** The member that is wrong, of the value or of one in an array. */
  readonly member?: string
  /** What it is; undefined where it is missing. */
  readonly value: unknown
  /** Whether the value is of the right type and none of those that are listed. */
  readonly isUnlisted: boolean
}

const faultOf = (errors: readonly ErrorObject[]): BodyFault => {
  const [error] = errors
  const [, place = '', ofPath] = /^(\/(?:\d+\/)?)(\w+)/.exec(error?.instancePath ?? '') ?? []
  const isMissing = error?.keyword === 'required'
  const member: string | undefined = isMissing ? error.params.missingProperty : ofPath
  const says = explainAll(errors, found)
  return {
    says,
    brief: isMissing ? says : says.slice(place.length),
    ...(member !== undefined && { member }),
    value: isMissing ? undefined : error?.data,
    isUnlisted: error?.keyword === 'enum',
  }
}

const interfaceSchema = (name: string) =>
  lazily(() => {
    interfaceAjv ??= compileInterface()
    const validate = interfaceAjv.getSchema(`interface#/components/schemas/${name}`)
    if (validate === undefined) throw new Error(`openapi.yaml has no schema ${name}`)
    return validate
  }, faultOf)

// These take the result of a lossless parser: a bigint for every integer.
export const checkPet = interfaceSchema('Pet')
export const checkError = interfaceSchema('Error')

/** Replaces each `type: integer`, at any depth, with the keyword for exact integers. */
const exact = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(exact)
  if (node === null || typeof node !== 'object') return node
  if ('type' in node && node.type === 'integer') {
    return { exactInteger: 'format' in node ? int64 : 'an integer' }
  }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, exact(value)]))
}

const isExact = (wanted: string, value: unknown): boolean =>
  typeof value === 'bigint' && (wanted !== int64 || BigInt.asIntN(64, value) === value)

/** ajv stops at the first error; there are several only where a schema offers alternatives. */
const explainAll = (
  errors: readonly ErrorObject[],
  explain: (error: ErrorObject) => string,
): string => {
  const causes = errors.filter(({ keyword }) => !['anyOf', 'oneOf', 'if'].includes(keyword))
  const lines = (causes.length > 0 ? causes : errors).map(explain)
  return [...new Set(lines)].join(', or ')
}

/** What a keyword asks of a value: `an int64`, `one of "a", "b"`; undefined: another keyword. */
const wantedBy = ({ keyword, schema }: ErrorObject): string | undefined => {
  if (keyword === 'type') return typesOf(schema).join(' or ')
  if (keyword === 'enum') return `one of ${(schema as unknown[]).map(show).join(', ')}`
  return keyword === 'exactInteger' ? String(schema) : undefined
}

const demand = (error: ErrorObject): string => {
  const { instancePath, keyword, message, params, data } = error
  const place = instancePath === '' ? 'the value' : instancePath
  if (keyword === 'required') return `${place} must have ${params.missingProperty}`
  if (keyword === 'additionalProperties') {
    return `${place} must not have ${params.additionalProperty}`
  }
  const wanted = wantedBy(error)
  return `${place} ${wanted === undefined ? message : `must be ${wanted}`}, is ${show(data)}`
}

const found = (error: ErrorObject): string => {
  const { instancePath: path, keyword, params, data } = error
  if (keyword === 'required') {
    return `no ${params.missingProperty}${path === '' ? '' : ` in ${path}`}`
  }
  const wanted = wantedBy(error)
  if (wanted === undefined) return demand(error)
  return `${path === '' ? '' : `${path} is `}${show(data)}, not ${wanted}`
}

const typesOf = (schema: unknown): string[] =>
  [schema as string | string[]]
    .flat()
    .map((type) => (/^[aio]/.test(type) ? `an ${type}` : `a ${type}`))

const show = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return JSON.stringify(shorten(value))
  if (value === Infinity || value === -Infinity) return 'a number beyond every double'
  return value !== null && typeof value === 'object' ? 'an object' : shorten(String(value))
}

/** Not within a surrogate pair. */
const shorten = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 60).replace(/[\ud800-\udbff]$/, '')}...` : text
