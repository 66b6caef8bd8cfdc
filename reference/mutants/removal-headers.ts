// Faults of the headers that announce the removal of `GET /pets/{petId}`.
import type { Variant } from '../compose.ts'
import type { Mutant } from '../mutant.ts'
import { removalAtMs } from '../operations.ts'

const announcing = (
  change: (headers: Record<string, string>) => Record<string, string>,
): Variant => ({
  parts: ({ deprecationHeaders }) => ({
    deprecationHeaders: (atMs) => change(deprecationHeaders(atMs)),
  }),
})

export const removalHeaderMutants: readonly Mutant[] = [
  {
    id: 'deprecation-header-true',
    breaks: 'get.deprecation-header',
    caughtBy: 'get-deprecation-header-date',
    fault: 'The header has the value of an early draft.',
    ...announcing((headers) => ({ ...headers, Deprecation: 'true' })),
  },
  {
    id: 'deprecation-header-http-date',
    breaks: 'get.deprecation-header',
    caughtBy: 'get-deprecation-header-date',
    fault: 'The header has the form of `Sunset`.',
    ...announcing((headers) => ({ ...headers, Deprecation: headers.Sunset ?? '' })),
  },
  {
    id: 'deprecation-header-after-removal',
    breaks: 'get.deprecation-header',
    caughtBy: 'get-deprecation-header-date',
    fault: 'The date is in milliseconds.',
    ...announcing((headers) => ({ ...headers, Deprecation: `@${removalAtMs}` })),
  },
  {
    id: 'sunset-header-iso',
    breaks: 'get.sunset-header',
    caughtBy: 'get-sunset-header-date',
    fault: 'The date is written as ISO 8601 has it.',
    ...announcing((headers) => ({ ...headers, Sunset: '2030-12-05' })),
  },
  {
    id: 'sunset-header-a-month-late',
    breaks: 'get.sunset-header',
    caughtBy: 'get-sunset-header-date',
    fault: 'The months of the library begin at zero.',
    ...announcing((headers) => ({
      ...headers,
      Sunset: new Date(Date.UTC(2030, 12, 5)).toUTCString(),
    })),
  },
]
