// The published interface description, fetched once from the address that was configured.
import { parseYaml } from '../../spec/yaml.ts'
import { Untested } from './outcome.ts'
import type { RunOptions } from './run-options.ts'
import { createClient } from './wire/client.ts'
import { reachBeside } from './wire/reach.ts'

const read = new WeakMap<RunOptions, Promise<unknown>>()

const fetchDescription = async (options: RunOptions): Promise<unknown> => {
  const url = new URL(options.descriptionUrl ?? '')
  const client = createClient({
    origin: url.origin,
    timeoutMs: options.answerTimeoutMs,
    reach: reachBeside(options.reach, new URL(options.baseUrl), url),
    signal: options.signal,
  })
  try {
    const { response, noAnswer } = await client.send({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: [['Accept', 'application/json, application/yaml, text/yaml']],
      body: null,
      connection: 'one',
    })
    if (response?.status !== 200) {
      const got = response ? `status ${response.status}` : `no answer (${noAnswer})`
      throw new Untested('blocked', `the description was not served: ${got}`)
    }
    return parseYaml(Buffer.from(response.bytes).toString())
  } finally {
    await client.close()
  }
}

/**
 * The description as a document (JSON is YAML). It is fetched without a key.
 * @throws Untested (blocked) where it is not served; the reader's own error where it is no YAML
 */
export const readDescription = (options: RunOptions): Promise<unknown> => {
  const known = read.get(options)
  if (known) return known
  const document = fetchDescription(options)
  read.set(options, document)
  return document
}
