// What stands in front of a legal API: servers, gateways, firewalls and filters, each with its own
// limits, and a page of its own. None of them refuses what the interface says is valid.
import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import { type ApiRequest, type ApiResponse, splitTarget } from '../message.ts'
import { legal, type Variant } from '../variant.ts'
import { everyResponse, readBody, readQuery } from '../wrappers/middleware.ts'

const page = (status: number, more: Record<string, string> = {}): ApiResponse => ({
  status,
  headers: { 'Content-Type': 'text/html', ...more },
  body: `<html><head><title>${status} ${STATUS_CODES[status]}</title></head><body></body></html>`,
})

/** Answers some requests before the API sees them. */
const front = (answer: (request: ApiRequest) => ApiResponse | undefined): Variant => ({
  handle: (honest) => async (request) => answer(request) ?? honest(request),
})

const pages = (statusOf: (request: ApiRequest) => number | false | undefined): Variant =>
  front((request) => {
    const status = statusOf(request)
    return status ? page(status) : undefined
  })

const pathOf = ({ target }: ApiRequest): string => splitTarget(target).path
const linesOf = ({ head = '' }: ApiRequest): readonly string[] => head.split('\n')
const hasLongLine = (request: ApiRequest, max: number): boolean =>
  linesOf(request).some(({ length }) => length > max)

/** Legal where it asks for what a front may refuse, and where it is malformed as HTTP. */
const low = { warns: ['error-shape-elsewhere', 'headers-elsewhere-present'] } as const

/** Pets with these members alone. */
const selecting = (fields: readonly string[], body: string): string =>
  body
    .replace(/"(\w+)":(?:"(?:[^"\\]|\\.)*"|-?\d+),?/g, (member, name) =>
      fields.includes(name) ? member : '',
    )
    .replaceAll(',}', '}')

const hasC1 = (text: string): boolean => /[\u0080-\u009f]/.test(text)

const fieldOf = (request: ApiRequest, name: string): string => request.header(name) ?? ''

const usualMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Whether a field names a host other than that of the request. */
const isForeign = (request: ApiRequest, host: string): boolean =>
  host !== '' && host !== fieldOf(request, 'host')

export const frontVariants = [
  ...legal(['list-fields-200', 'create-fields-201', 'list-limit-out-of-range'], {
    'front-nginx': [
      'nginx: a line of more than 8 KB gets 414, or 400.',
      pages((request) => {
        if (request.target.length > 8_192) return 414
        return hasLongLine(request, 8_192) && 400
      }),
    ],
    'front-gunicorn': [
      'gunicorn: a request line of more than 4,094 bytes gets 400, a field of more than 8,190 431.',
      pages((request) => {
        if (request.target.length > 4_000) return 400
        return hasLongLine(request, 8_190) && 431
      }),
      low,
    ],
    'front-small-head': [
      'A firewall: a head of more than 4,096 bytes gets 431.',
      pages(({ target, head = '' }) => target.length + head.length > 4_096 && 431),
      low,
    ],
    'front-iis': [
      'IIS: a query of more than 2,048 characters gets 404, and a longer address as well.',
      pages(({ target }) => {
        const { path, query } = splitTarget(target)
        return (query.length > 2_048 || path.length > 4_096) && 404
      }),
      low,
    ],
    'front-kestrel': [
      'Kestrel: what is malformed gets 400, and a line of more than 8 KB 414, without a body.',
      front((request) => {
        const head = Buffer.from(request.head ?? '', 'latin1')
        const isMalformed = !isUtf8(head) || pathOf(request).includes('%00')
        if (!isMalformed && request.target.length <= 8_192) return undefined
        return { status: isMalformed ? 400 : 414, headers: {}, body: '' }
      }),
      { warns: [...low.warns, 'list-field-bytes-200'] },
    ],
  }),
  ...legal(['get-id-prefix-refused', 'get-id-other-refused', 'address-spelling'], {
    'front-apache': [
      'Apache: an encoded slash in a path gets 404, and an encoded NUL too.',
      pages((request) => /%(?:2f|00)/i.test(pathOf(request)) && 404),
      low,
    ],
    'front-tomcat': [
      'Tomcat: an encoded slash or backslash in a path gets 400, and a character of its own list.',
      pages((request) => /%(?:2f|5c|00)|[\\|{}[\]"<>^`]/i.test(pathOf(request)) && 400),
      low,
    ],
    'front-strict-paths': [
      'A filter of paths: `;`, `//`, dot segments, and encoded signs of them get 400.',
      pages(
        (request) =>
          /;|%(?:3b|2f|5c|25|00|2e)|\\|\/\/|\/\.{1,2}(?:\/|$)/i.test(pathOf(request)) && 400,
      ),
      low,
    ],
  }),
  ...legal(['list-fields-asking', 'create-name-control', 'list-field-bytes-200'], {
    'front-firewall': [
      'A strict firewall: C1 controls in a value get 400.',
      pages((request) => hasC1(`${request.head}${readBody(request)}`) && 400),
      { warns: [...low.warns, 'list-field-bytes-200'] },
    ],
    'front-cors': [
      'A CORS filter: an Origin of another site gets 403.',
      pages((request) => {
        const origin = fieldOf(request, 'origin')
        const isOther = isForeign(request, origin.replace(/^https?:\/\//, ''))
        return (isOther || fieldOf(request, 'sec-fetch-site') === 'cross-site') && 403
      }),
      low,
    ],
    'front-redirect-to-https': [
      'What came as http, by its forwarding fields, is redirected to https.',
      front((request) => {
        const isHttp =
          /^http$/i.test(fieldOf(request, 'x-forwarded-proto')) ||
          /proto="?http\b/i.test(fieldOf(request, 'forwarded').replace(/https/gi, '')) ||
          /^off$/i.test(fieldOf(request, 'x-forwarded-ssl'))
        const location = `https://${fieldOf(request, 'host')}${request.target}`
        return isHttp ? page(301, { Location: location }) : undefined
      }),
      low,
    ],
    'front-host-check': [
      'A forwarded host that is not that of the service gets 400.',
      pages((request) => {
        const [, host = ''] = /host="?([^;,"]*)/i.exec(fieldOf(request, 'forwarded')) ?? []
        const hosts = [host, fieldOf(request, 'x-forwarded-host')]
        return hosts.some((each) => isForeign(request, each)) && 400
      }),
      low,
    ],
  }),
  ...legal(['method-other-refused'], {
    'front-methods': [
      'A firewall: methods that few services have get 403.',
      pages(({ method }) => !usualMethods.includes(method) && 403),
      low,
    ],
  }),
  ...legal(['list-parameter-unknown', 'list-parameter-paging', 'list-body-array'], {
    'parameter-search-obeyed': [
      'The parameter q searches names, skip and offset leave pets out, and sort reverses the list.',
      everyResponse((response, request) => {
        const query = readQuery(request)
        if (response.status !== 200 || !response.body.startsWith('[')) return response
        const pets = response.body.match(/\{(?:"(?:[^"\\]|\\.)*"|[^{}"])*\}/g) ?? []
        const found = pets.filter((pet) => pet.includes(query.get('q') ?? ''))
        const left = found.slice(Number(query.get('offset') ?? query.get('skip')) || 0)
        return { ...response, body: `[${query.has('sort') ? left.reverse() : left}]` }
      }),
    ],
    'parameter-fields-obeyed': [
      'The parameter fields selects members of pets, and page puts the list into an envelope.',
      everyResponse((response, request) => {
        const query = readQuery(request)
        if (response.status !== 200) return response
        const fields = query.get('fields')?.split(',')
        const body = fields ? selecting(fields, response.body) : response.body
        return { ...response, body: query.has('page') ? `{"data":${body}}` : body }
      }),
    ],
  }),
]
