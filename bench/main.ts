// `npm run bench`: how fast, always as a ratio of two things measured in turn within one run.
// A part alone: `npm run bench -- latency`.
import { benchDriver } from './driver.ts'
import { benchLatency } from './latency.ts'
import { benchServers } from './reference.ts'
import { benchStart } from './start.ts'
import { benchSuites } from './suites.ts'

const parts: Readonly<Record<string, () => Promise<void> | void>> = {
  start: benchStart,
  suites: benchSuites,
  servers: benchServers,
  driver: benchDriver,
  latency: benchLatency,
}

const wanted = process.argv.slice(2)
const strange = wanted.find((name) => !(name in parts))
if (strange === undefined) {
  for (const [name, bench] of Object.entries(parts)) {
    if (wanted.length === 0 || wanted.includes(name)) await bench()
  }
} else {
  process.stderr.write(`bench: no part "${strange}": there are ${Object.keys(parts).join(', ')}\n`)
  process.exitCode = 2
}
