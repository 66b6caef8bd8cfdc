// One recorded exchange, whatever wrote it down, and what of it was not recorded.
import type {
  ApiRequest,
  Exchange,
  Header,
  NoAnswer,
  ReceivedResponse,
} from '../history/exchange.ts'

/** What petvet itself recorded besides. */
interface Own extends Pick<Exchange, 'check' | 'movedMs' | 'meanwhileMs'> {
  readonly apiRequest: Partial<ApiRequest>
}

export interface Recorded {
  /** Which of the files it is from. */
  readonly file: number
  /** Unix milliseconds between which it was sent and answered: not later, and not earlier. */
  readonly sentMs: number
  readonly receivedMs: number
  readonly method: string
  /** As it was sent, without a fragment. */
  readonly url: string
  readonly headers: readonly Header[]
  /** undefined: there was one, and it was not recorded as it was sent. */
  readonly body: string | Uint8Array | null | undefined
  readonly response: ReceivedResponse | null
  readonly noResponse: NoAnswer | null
  /** The key by plan and position, in what petvet recorded. */
  readonly label?: string | null
  readonly own?: Own
}

/** About how much memory it takes. */
export const weightOf = ({ url, headers, body, response }: Recorded): number => {
  const fields = [...headers, ...(response?.headers ?? [])]
  const texts = url.length + fields.reduce((sum, field) => sum + field.join().length, 0)
  return 2_000 + 2 * (texts + (body?.length ?? 0)) + 2 * (response?.bytes.length ?? 0)
}
