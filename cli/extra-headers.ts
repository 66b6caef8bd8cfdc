// The further headers of every request: what may be among them, and what of them is a secret.
import { type Environment, readSecret, variableOf } from './keys.ts'
import { UsageError } from './usage-error.ts'

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerValue = /^[\t\x20-\x7e]*$/

/** A shorter one cannot be taken out of a report without all else. */
const leastSecret = 4

/** These belong to the connection, or to each request by itself. */
const taken: Readonly<Record<string, string>> = {
  authorization: 'the header Authorization is what the keys are for',
  host: 'the header Host is what the address is for',
  'content-type': 'the header Content-Type is what each request says of its own body',
  'proxy-authorization': "the header Proxy-Authorization is what the proxy's address is for",
}
const ofConnection = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'content-length', 'expect', 'http2-settings'],
]

const refusalOf = (name: string): string | undefined => {
  const known = taken[name.toLowerCase()]
  if (known !== undefined) return known
  if (!ofConnection.includes(name.toLowerCase())) return undefined
  return `the header ${name} belongs to a connection, and cannot be given for all requests`
}

export const readHeaders = (
  headers: Readonly<Record<string, string>>,
  environment: Environment,
): [string, string][] =>
  Object.entries(headers).map(([name, text]) => {
    // What is no name may be a whole header, its value included.
    if (!headerName.test(name)) throw new UsageError('headers holds a name that no header has')
    const refusal = refusalOf(name)
    if (refusal !== undefined) throw new UsageError(refusal)
    const value = readSecret(`the header ${name}`, text, environment)
    if (headerValue.test(value)) return [name, value]
    throw new UsageError(`the header ${name} cannot be sent: it has characters no header has`)
  })

/** What came from the environment is not written into a report. */
export const secretsOf = (headers: Readonly<Record<string, string>>, environment: Environment) =>
  Object.values(headers).flatMap((text) => {
    const name = variableOf(text)
    const value = name === undefined ? '' : (environment[name] ?? '')
    return name === undefined || value.length < leastSecret ? [] : [{ name, text: value }]
  })
