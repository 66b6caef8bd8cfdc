// The OpenAPI document of the interface, and its file.
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
