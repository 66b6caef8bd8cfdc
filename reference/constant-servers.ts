// Servers that send the same response to every request. No check may pass at one of them.

import type { ApiResponse } from './message.ts'
import type { Variant } from './variant.ts'

interface ConstantServer extends Variant {
  readonly id: string
  readonly responds: string
}

const json = { 'Content-Type': 'application/json' }

const always = (id: string, responds: string, response: ApiResponse): ConstantServer => ({
  id: `constant-${id}`,
  responds,
  handle:
    (_honest, { rateLimitHeaders, withoutKey, clock }) =>
    () => ({
      ...response,
      headers: { ...rateLimitHeaders(withoutKey(clock.now())), ...response.headers },
    }),
})

const error = (status: number): ConstantServer => {
  const body = JSON.stringify({ code: 'constant', message: 'Always the same.', status })
  return always(`${status}`, `${status} with an Error`, { status, headers: json, body })
}

const pet = '{"id":1,"name":"Rex","categoryId":1,"status":"available"}'

export const constants: readonly ConstantServer[] = [
  always('200-list', '200 with an empty list', { status: 200, headers: json, body: '[]' }),
  always('200-pets', '200 with one pet', { status: 200, headers: json, body: `[${pet}]` }),
  always('200-pet', '200 with a pet', { status: 200, headers: json, body: pet }),
  always('201', '201 with a pet', { status: 201, headers: json, body: pet }),
  always('204', '204', { status: 204, headers: {}, body: '' }),
  always('200-empty', '200 with an empty body', { status: 200, headers: json, body: '' }),
  always('200-html', '200 with an HTML page', {
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    body: '<!doctype html><title>It works</title>',
  }),
  always('302', 'a redirect', { status: 302, headers: { Location: '/login' }, body: '' }),
  ...[400, 401, 404, 429, 500].map(error),
]
