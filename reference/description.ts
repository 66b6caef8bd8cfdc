// The published description of the API: the OpenAPI document, outside the API and without a key.
import { readOpenapi } from '../spec/openapi.ts'
import type { Variant } from './compose.ts'
import { type Handle, splitTarget } from './message.ts'

export const descriptionPath = '/openapi.json'

/** Answers the description itself, and hands everything else to the API. */
export const withDescription = (api: Handle, { description }: Variant): Handle => {
  let text: string | undefined
  return (request) => {
    const isAsked = request.method === 'GET' && request.target.startsWith(descriptionPath)
    if (!isAsked || splitTarget(request.target).path !== descriptionPath) return api(request)
    // Made when it is first asked for: most servers here are never asked.
    text ??= JSON.stringify(description?.(readOpenapi()) ?? readOpenapi())
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body: text }
  }
}
