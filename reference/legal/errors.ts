// Legal errors: their codes and messages, and responses to unknown addresses and methods.

import { splitTarget } from '../message.ts'
import { letsIn, recognising } from '../mutants/auth/accepted-keys.ts'
import { legal, perServer, replacing } from '../variant.ts'
import {
  everyResponse,
  isOfPets,
  onInvalidKey,
  onStatus,
  replacedBy,
  rewritingErrors,
  where,
  withHeaders,
  withoutBody,
} from '../wrappers/middleware.ts'

export const errorVariants = [
  ...legal(['error-shape', 'error-code-stable', 'auth-existing-or-unknown-same-401'], {
    'errors-other-codes': [
      'The codes are numbers as text, and the messages in another language.',
      rewritingErrors(({ status }) => {
        return { status, code: `E${status}`, message: 'Das geht so nicht – 失敗 🐾.' }
      }),
    ],
    'errors-empty-message': [
      'Code and message are empty strings.',
      rewritingErrors(({ status }) => ({ code: '', message: '', status })),
    ],
    'errors-extra-members': [
      'An Error has further members.',
      rewritingErrors((error) => ({ ...error, details: [{ rule: 'type' }], traceId: '4bf92f35' })),
    ],
    'errors-numbered': [
      'Every message contains the number of its request.',
      perServer(() => {
        let requests = 0
        return replacing('error', ({ error }, status, code, message) =>
          error(status, code, `${message} (${requests++})`),
        )
      }),
    ],
    'errors-other-text-for-bad-keys': [
      'A missing key and an invalid one get different messages.',
      onInvalidKey(replacedBy(401, 'bad_request', 'This key is not valid.')),
    ],
    'errors-no-shape-429': ['A 429 has no body.', onStatus(429, withoutBody)],
  }),
  ...legal(['auth-401-repeats-no-key', 'auth-malformed-401', 'error-no-internals'], {
    'errors-401-in-plain-words': [
      'A 401 says `Not authenticated`, and a request may have had a cookie with that word.',
      onStatus(401, replacedBy(401, 'not_authenticated', 'Not authenticated')),
    ],
    'errors-link-to-pages': [
      'A message links to a page.',
      replacing('error', ({ error }, status, code) =>
        error(status, code, `See https://docs.example.com/app/errors/${code}.html, or /docs.`),
      ),
    ],
    'errors-repeat-request': [
      'An error for a valid key repeats what was requested.',
      everyResponse((response, request) => {
        if (response.status !== 404 && response.status !== 400) return response
        const message = `Nothing for ${decodeURI(request.target.replaceAll('%', '%25'))}.`
        return replacedBy(response.status, 'not_found', message)(response)
      }),
    ],
  }),
  ...legal(['address-spelling', 'address-spelling-needs-key', 'headers-elsewhere-present'], {
    'addresses-slash-at-end': [
      'Trailing slashes, doubled slashes and letter case in paths are ignored.',
      replacing('findRoute', ({ findRoute }, method, path) => {
        const usual = path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
        return findRoute(method, usual.toLowerCase())
      }),
    ],
    'addresses-dots-resolved': [
      'Dot segments of a path are resolved before its key is checked.',
      replacing('findRoute', ({ findRoute }, method, path) =>
        findRoute(method, new URL(path.replace(/^\/+/, '/'), 'http://localhost').pathname),
      ),
    ],
    'addresses-redirected': [
      'A router redirects other spellings of a path before counting.',
      everyResponse((response, { target }) => {
        const { path } = splitTarget(target)
        const usual = path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
        if (usual === path) return response
        return { status: 301, headers: { Location: usual }, body: '' }
      }),
    ],
  }),
  ...legal(['method-put-list-refused', 'method-known-refused', 'address-nonsense-not-2xx'], {
    'addresses-known-before-keys': [
      'Unknown addresses and methods get 404 and 405 without a key.',
      recognising(
        letsIn(() => true),
        (operation) => operation === undefined,
      ),
    ],
    'open-requests-403': [
      'Another limit or status of a list, text that is no id, other methods and addresses get 403.',
      where(
        ({ status }, request) =>
          isOfPets(request)
            ? status === 405 || (status === 400 && request.method === 'GET')
            : status === 404,
        replacedBy(403, 'bad_request', 'This request is not open to you.'),
      ),
    ],
    'methods-not-implemented': [
      'Methods that the interface does not have get 501.',
      onStatus(405, replacedBy(501, 'method_not_allowed', 'Nobody wrote this.')),
    ],
  }),
  ...legal(
    ['method-405-allow', 'method-head-list', 'method-options-list', 'header-limit-present'],
    {
      'methods-allow-more': [
        'Allow also names HEAD and OPTIONS, in another order and spacing.',
        onStatus(405, withHeaders({ Allow: 'OPTIONS,HEAD, POST ,GET' })),
      ],
      'methods-head-and-options': [
        'HEAD is served like GET, and OPTIONS gets 204, both without a body or rate limit.',
        everyResponse((response, { method }) => {
          const { Allow = 'GET' } = response.headers
          if (method === 'OPTIONS') return { status: 204, headers: { Allow }, body: '' }
          const isHead = method === 'HEAD' && response.status === 405
          const headers = { 'Content-Type': 'application/json' }
          return isHead ? { status: 200, headers, body: '' } : response
        }),
      ],
    },
  ),
]
