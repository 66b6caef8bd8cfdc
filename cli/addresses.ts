// The addresses of a target: http or https, and nothing secret in them.
import { UsageError } from './usage-error.ts'

/** What an address of each looks like, where it is not a base address. */
const examples: Readonly<Record<string, string>> = {
  'the clock': 'http://127.0.0.1:8081/clock',
  'the description': 'http://127.0.0.1:8080/openapi.json',
}

export const readAddress = (place: string, text: string): URL => {
  if (!URL.canParse(text)) {
    const example = examples[place] ?? 'http://127.0.0.1:8080/v1'
    throw new UsageError(`${place} is no address: it takes one such as ${example}`)
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
  // An empty query is none to `url.search`, and stands in the address all the same.
  if (!/[?#]/.test(url.href)) return url
  throw new UsageError(`${place} must end with its path: without a query or fragment`)
}

/** Whether a host is this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
