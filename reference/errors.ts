// Everything the API refuses, and the one way an Error is written.
import type { ApiResponse } from './message.ts'

/** The closed set of codes: one for each condition, so that a client can tell them apart. */
export type ErrorCode =
  | 'bad_request'
  | 'body_too_large'
  | 'gone'
  | 'headers_too_large'
  | 'internal'
  | 'invalid_body'
  | 'invalid_parameter'
  | 'key_banned'
  | 'method_not_allowed'
  | 'not_found'
  | 'rate_limited'
  | 'request_timeout'
  | 'target_too_long'
  | 'unauthorized'
  | 'unavailable'
  | 'unsupported_media_type'

export interface Refusal {
  status: number
  code: ErrorCode
  message: string
}

/** What reading a part of a request gives: its value, or why it was refused. */
export type Reading<T> = { value: T } | { refusal: Refusal }

export const refuse = (status: number, code: ErrorCode, message: string) => ({
  refusal: { status, code, message },
})

export type WriteError = (status: number, code: ErrorCode, message: string) => ApiResponse

export const writeError: WriteError = (status, code, message) => ({
  status,
  headers: {},
  body: JSON.stringify({ code, message, status }),
})
