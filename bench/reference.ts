// The reference beside bare node:http and beside the Prism mock, by raw autocannon.
import { rateOf } from './driver.ts'
import { startServer, told } from './measure.ts'

const rounds = 5

export const benchServers = async (): Promise<void> => {
  const servers = await Promise.all(['bare', 'reference', 'prism'].map(startServer))
  try {
    for (const server of servers) await rateOf(server)
    const rates: number[][] = []
    for (let round = 0; round < rounds; round += 1) {
      const row: number[] = []
      for (const server of servers) row.push(await rateOf(server))
      rates.push(row)
    }
    const ratios = (to: number) =>
      rates.map((row) => (row[1] ?? Number.NaN) / (row[to] ?? Number.NaN))
    const name = 'requests/s, reference to'
    told(`${name} bare node:http`, ratios(0), 'at least 0.8', (ratio) => ratio >= 0.8)
    told(`${name} the Prism mock`, ratios(2), 'at least 6', (ratio) => ratio >= 6)
  } finally {
    for (const server of servers) server.process.kill()
  }
}
