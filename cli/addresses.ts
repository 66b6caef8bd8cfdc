// The addresses of a target: http or https, and nothing secret in them.
import { UsageError } from './usage-error.ts'

export const readAddress = (place: string, text: string): URL => {
  if (!URL.canParse(text)) {
    throw new UsageError(`${place} is no address: such as http://127.0.0.1:8080/v1`)
  }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError(`${place} must begin with http:// or https://`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(`${place} must hold no user or password`)
  }
  return url
}

/** The base address has paths put behind it, so nothing may follow its own. */
export const readBaseUrl = (place: string, text: string): URL => {
  const url = readAddress(place, text)
  if (url.search === '' && url.hash === '') return url
  throw new UsageError(`${place} must end with its path: without a query or fragment`)
}
