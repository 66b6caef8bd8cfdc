// The OpenAPI document of the interface, and its file.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseYaml } from './yaml.ts'

/** Next to this file, in the checkout as in the package. */
export const openapiFile = fileURLToPath(new URL('./openapi.yaml', import.meta.url))

/** The validators are made from its schemas. */
export const readOpenapi = () =>
  parseYaml(readFileSync(openapiFile, 'utf8')) as {
    readonly components: { readonly schemas: Readonly<Record<string, object>> }
  }
