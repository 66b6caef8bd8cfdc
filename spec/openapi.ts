// The file of the OpenAPI document, and what it says of a response: its headers, and the schema
// of its body.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseYaml } from './yaml.ts'

/** Next to this file, in the checkout as in the package. */
export const openapiFile = fileURLToPath(new URL('./openapi.yaml', import.meta.url))

/** The part of an OpenAPI document that the validators are made from. */
interface OpenapiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

export const readOpenapi = (): OpenapiDocument =>
  parseYaml(readFileSync(openapiFile, 'utf8')) as OpenapiDocument

interface DescribedResponse {
  /** By name, the type that the document gives its value. */
  readonly headers: ReadonlyMap<string, 'integer' | 'string'>
  /** The name of a schema; undefined where the document leaves the body open. */
  readonly body: string | undefined
}

type Node = Readonly<Record<string, unknown>>

/** A node, or what it refers to; all references of the document are local. */
const followed = (document: Node, node: unknown): Node => {
  const { $ref } = (node ?? {}) as Node
  if (typeof $ref !== 'string') return (node ?? {}) as Node
  const steps = $ref.split('/').slice(1)
  return followed(
    document,
    steps.reduce<unknown>((at, step) => (at as Node)[step], document),
  )
}

const operations = {
  list: ['/pets', 'get'],
  create: ['/pets', 'post'],
  get: ['/pets/{petId}', 'get'],
} as const

const read = (document: Node, response: unknown): DescribedResponse => {
  const { headers = {}, content } = followed(document, response)
  const typeOf = (header: unknown) => (followed(document, header).schema as Node).type
  const json = (content as Node | undefined)?.['application/json'] as Node | undefined
  const reference = (json?.schema as Node | undefined)?.$ref
  return {
    headers: new Map(
      Object.entries(headers as Node).map(([name, header]) => [
        name,
        typeOf(header) === 'integer' ? 'integer' : 'string',
      ]),
    ),
    body: typeof reference === 'string' ? reference.split('/').at(-1) : undefined,
  }
}

let described: ReadonlyMap<string, DescribedResponse> | undefined

const readAll = (): ReadonlyMap<string, DescribedResponse> => {
  const document = readOpenapi() as unknown as Node
  return new Map(
    Object.entries(operations).flatMap(([operation, [path, method]]) => {
      const { responses } = ((document.paths as Node)[path] as Node)[method] as Node
      return Object.entries(responses as Node).map(
        ([status, response]) => [`${operation} ${status}`, read(document, response)] as const,
      )
    }),
  )
}

/** @returns undefined for a status that the interface does not list for the operation */
export const describedResponse = (
  operation: keyof typeof operations,
  status: number,
): DescribedResponse | undefined => {
  described ??= readAll()
  return described.get(`${operation} ${status}`)
}
