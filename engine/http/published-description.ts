// The published interface description, fetched from the address that was configured.

import { Untested, Violation } from '../../history/outcome.ts'
import { quote } from '../../history/quote.ts'
import { parseYaml, YamlNotRead } from '../../spec/yaml.ts'
import { createClient } from './client.ts'
import { chooseReach, type Target } from './connection-options.ts'

/** @throws Violation if it is no document; Untested (blocked) if it cannot be read */
const documentIn = (text: string): unknown => {
  try {
    return parseYaml(text)
  } catch (error) {
    const why = quote(error instanceof Error ? error.message : String(error), 200)
    if (error instanceof YamlNotRead) throw notRead(why)
    throw new Violation('an OpenAPI document in JSON or YAML', `what is neither: ${why}`, [])
  }
}

const notRead = (why: string) => new Untested('blocked', `the description is not read: ${why}`)

/**
 * The description as a document. It is fetched without a key.
 * @throws Untested (blocked) if it is not served or cannot be read; Violation if it is no document
 */
export const readDescription = async (options: Target): Promise<unknown> => {
  const url = new URL(options.descriptionUrl ?? '')
  const client = createClient({
    origin: url,
    timeoutMs: options.responseTimeoutMs,
    reach: chooseReach(options.reach, new URL(options.baseUrl), url),
    signal: options.signal,
  })
  try {
    const { response, noResponse } = await client.send({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: [['Accept', 'application/json, application/yaml, text/yaml']],
      body: null,
      connection: 'shared',
    })
    if (response?.status !== 200) {
      const got = response ? `status ${response.status}` : `no answer (${noResponse})`
      throw new Untested('blocked', `the description was not served: ${got}`)
    }
    if (response.cut) throw notRead('it is longer than 1 MiB')
    return documentIn(Buffer.from(response.bytes).toString())
  } finally {
    await client.close()
  }
}
