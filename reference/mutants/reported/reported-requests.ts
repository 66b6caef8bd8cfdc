// Faults that users of frameworks, gateways and parsers reported: valid requests that failed for
// something that asks for nothing. Each names the report.
import type { ApiRequest } from '../../message.ts'
import { caughtBy, type Mutant } from '../../mutant.ts'
import { failingAt } from '../../wrappers/middleware.ts'
import { refusingText } from '../../wrappers/pet-store.ts'
import { letsIn, recognising } from '../auth/recognise.ts'

const value = ({ header }: ApiRequest, name: string): string => header(name) ?? ''

export const reportedRequestMutants: readonly Mutant[] = [
  ...caughtBy('request-fields-ignored', {
    // TheHive-Project/TheHive#438, windmill-labs/windmill#10628, Altinn/dialogporten#4103.
    'reported-type-of-empty-body': [
      'A GET with a Content-Type is refused: its empty body is not valid JSON.',
      failingAt(
        400,
        (request) => request.method === 'GET' && /json/i.test(value(request, 'content-type')),
      ),
    ],
    // freeunitorg/freeunit#109.
    'reported-traceparent': [
      'A malformed traceparent makes a request fail, instead of a new trace.',
      failingAt(
        500,
        (request) =>
          request.header('traceparent') !== undefined &&
          !/^00-[0-9a-f]{32}-[0-9a-f]{16}-\d\d$/.test(value(request, 'traceparent')),
      ),
    ],
    // code-dot-org/code-dot-org#5947, stefanprodan/AspNetCoreRateLimit#415.
    'reported-forwarded-for-unknown': [
      'X-Forwarded-For is parsed as an IP address, and is `unknown` behind some proxies.',
      failingAt(500, (request) => /unknown/.test(value(request, 'x-forwarded-for'))),
    ],
  }),
  ...caughtBy('request-form-ignored', {
    // cesanta/mjson#73, maciejhirsz/json-rust#167.
    'reported-escaped-solidus': [
      'The JSON parser does not know the escape of a slash.',
      refusingText((text) => /(?<!\\)(?:\\\\)*\\\//.test(text)),
    ],
  }),
  ...caughtBy('auth-mistaken-key-401', {
    // openfoodfacts/openfoodfacts-explorer#1060, request/request#1571, BC-SECURITY/Empire#274.
    'reported-key-of-nothing': [
      'The keys are read from variables that are not set: a name of one, or none, is a key.',
      recognising(
        () => true,
        letsIn(({ header }) =>
          /^Bearer (?:undefined|null|None|nil|\(null\)|[${%<]{1,3}.*key.*)$/i.test(
            header('authorization') ?? '',
          ),
        ),
      ),
    ],
  }),
  ...caughtBy('auth-trusted-fields-401', {
    // home-assistant/core#14345, KanishJebaMathewM/Truxify#13918.
    'reported-forwarded-for-local': [
      'A request that X-Forwarded-For says is from this machine needs no key.',
      recognising(
        () => true,
        letsIn((request) => /^(?:127\.0\.0\.1|::1)$/.test(value(request, 'x-forwarded-for'))),
      ),
    ],
    // vibed-project/vibeD#44.
    'reported-forwarded-user': [
      'The user that a proxy names in X-Forwarded-User is taken from any client.',
      recognising(
        () => true,
        letsIn((request) => value(request, 'x-forwarded-user') !== ''),
      ),
    ],
  }),
]
