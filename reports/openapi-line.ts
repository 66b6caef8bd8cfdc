// Where the OpenAPI document says what a sentence says: its line, for tools that show findings.
import { readFileSync } from 'node:fs'
import { openapiFile } from '../spec/openapi.ts'

type Path = readonly string[]

const operations: Readonly<Record<string, Path>> = {
  'GET /pets': ['paths', '/pets', 'get'],
  'POST /pets': ['paths', '/pets', 'post'],
  'GET /pets/{petId}': ['paths', '/pets/{petId}', 'get'],
}

const components = (kind: string, ...path: string[]): Path => ['components', kind, ...path]

/** Headings of the interface, with the part of the document that each is about. */
const headings: Readonly<Record<string, Path>> = {
  'What the service does': ['info', 'description'],
  Endpoints: ['paths'],
  Versioning: ['info', 'version'],
  'Versioning 2': ['paths', '/pets/{petId}', 'get', 'deprecated'],
  'Versioning 3': ['x-stability-values'],
  NewPet: components('schemas', 'NewPet'),
  Pet: components('schemas', 'Pet'),
  Pets: components('schemas', 'Pets'),
  PetStatus: components('schemas', 'PetStatus'),
  Error: components('schemas', 'Error'),
  'Gaps, Category resource': components('schemas', 'NewPet', 'properties', 'categoryId'),
  'Gaps, Default value of status': components('schemas', 'NewPet', 'properties', 'status'),
  'States and transitions': components('schemas', 'PetStatus', 'enum'),
  'GET /pets, limit': ['paths', '/pets', 'get', 'parameters', 'limit'],
  'GET /pets, status': ['paths', '/pets', 'get', 'parameters', 'status'],
  'GET /pets/{petId}, petId': ['paths', '/pets/{petId}', 'get', 'parameters', 'petId'],
  'GET /pets/{petId}, Deprecation': ['paths', '/pets/{petId}', 'get', 'deprecated'],
  Authentication: components('securitySchemes', 'apiKey'),
  Errors: components('schemas', 'Error'),
  'Errors, 400': components('responses', 'BadRequest'),
  'Errors, 401': components('responses', 'Unauthorized'),
  'Errors, 404': components('responses', 'NotFound'),
  'Errors, 429': components('responses', 'TooManyRequests'),
  'Request limits by plan': ['info', 'description'],
  'Rate limit headers': components('headers'),
  Rules: components('responses', 'TooManyRequests'),
  'Rules 5': components('headers', 'Retry-After'),
  'Parameter bounds': ['paths', '/pets', 'get', 'parameters', 'limit'],
}

const lines = readFileSync(openapiFile, 'utf8').split('\n')

/**
 * The line, from 1 on, that a heading of the interface is about.
 * @param section as `requirement(id).section` tells it
 */
export const openapiLine = (section: string): number => {
  const [place = section, part = ''] = section.split(', ')
  const operation = operations[place]
  return (
    lineAt(headings[section]) ??
    lineAt(operation && [...operation, ...(/^\d/.test(part) ? ['responses', part] : [])]) ??
    lineAt(place === 'Rate limit headers' ? components('headers', part) : undefined) ??
    lineAt([...(headings[place] ?? []), 'properties', part]) ??
    lineAt(headings[place]) ??
    lineAt(headings[place.replace(/ \d+$/, '')]) ??
    1
  )
}

/** Goes from member to member, each within the one before, or to the item of that name. */
const lineAt = (path: Path | undefined): number | undefined => {
  if (path === undefined) return undefined
  let at = -1
  let depth = -1
  for (const name of path) {
    const spelt = RegExp.escape(name)
    const member = new RegExp(`^ *(?:- name: ${spelt}$|"?${spelt}"?:)`)
    const end = lines.findIndex((line, index) => index > at && isAbove(line, depth))
    const found = lines.findIndex((line, index) => index > at && member.test(line))
    if (found < 0 || (end >= 0 && found >= end)) return undefined
    at = found
    depth = indentOf(lines[found] ?? '')
  }
  return at + 1
}

const indentOf = (line: string): number => line.length - line.trimStart().length

const isAbove = (line: string, depth: number): boolean =>
  line.trim() !== '' && !line.startsWith('#') && indentOf(line) <= depth
