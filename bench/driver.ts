// The load driver beside raw autocannon, on the same server.
import autocannon from 'autocannon'
import { drive } from '../load/driver.ts'
import { direct } from '../suites/kit/wire/reach.ts'
import { benchKey, type Server, startServer, told } from './measure.ts'

const rounds = 7
const roundSeconds = 2
const connections = 10
const path = '/pets?limit=20'

/** Requests per second of one round by raw autocannon; anything but a 200 spoils the figure. */
export const rateOf = async ({ url }: Server): Promise<number> => {
  const result = await autocannon({
    url: `${url}${path}`,
    headers: { authorization: `Bearer ${benchKey}` },
    connections,
    duration: roundSeconds,
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, ${result.errors} failed`)
  }
  return result['2xx'] / result.duration
}

/** The same by the driver, which looks at each answer. */
const drivenRateOf = async ({ url }: Server): Promise<number> => {
  let served = 0
  const { durationMs, sent } = await drive(
    {
      baseUrl: url,
      path,
      keyOf: () => benchKey,
      headers: [],
      reach: direct,
      addresses: [],
      answerTimeoutMs: 5_000,
      signal: new AbortController().signal,
    },
    {
      connections,
      amount: null,
      durationMs: roundSeconds * 1_000,
      key: 'bench',
      newConnections: false,
      overallMs: 30_000,
      keep: 0,
    },
    ({ status }) => {
      if (status === 200) served += 1
    },
  )
  if (served < sent) throw new Error(`${url}: ${sent - served} of ${sent} requests were not served`)
  return (served * 1_000) / durationMs
}

export const benchDriver = async (): Promise<void> => {
  const server = await startServer('bare')
  try {
    await rateOf(server)
    await drivenRateOf(server)
    const ratios: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      // Whoever comes second has a warmer machine, so they take turns in that too.
      const first = round % 2 === 0 ? await drivenRateOf(server) : await rateOf(server)
      const second = round % 2 === 0 ? await rateOf(server) : await drivenRateOf(server)
      ratios.push(round % 2 === 0 ? first / second : second / first)
    }
    told('requests/s, driver to autocannon', ratios, 'at least 0.9', (ratio) => ratio >= 0.9)
  } finally {
    server.process.kill()
  }
}
