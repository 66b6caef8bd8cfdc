// Ten million samples of k6 judged: how fast and in how much memory, compared in the same run with
// `wc -l` and JSON.parse of each line. `node bench/k6-samples.ts [SAMPLES]`
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { judgeK6 } from '../load/k6/judge-samples.ts'
import { k6Plan } from '../load/k6/k6-plan.ts'
import { scenarios } from '../load/scenarios.ts'
import { fakeK6 } from '../tests/fake-k6.ts'

const [command, path = ''] = process.argv.slice(2)

const chosen = scenarios.filter(({ id }) => id === 'steady')

/** Writes the samples of one instance, a thousand at a time. */
const generate = async (file: string, samples: number): Promise<void> => {
  const { plan } = k6Plan({
    target: {
      baseUrl: 'https://staging.example.com/v1',
      keys: [{ plan: 'enterprise', key: 'none', quota: { perMinute: 1e7, perDay: 1e9 } }],
      ...{ allow: [], shared: false },
    },
    ...{ headers: [], settings: { connections: [50], durationMs: null }, thresholds: [] },
    scenarios: chosen,
  })
  const [head = '', begin = '', ...rest] = fakeK6({ plan, samples: [] }).trim().split('\n')
  const out = createWriteStream(file)
  out.write(`${head}\n${begin}\n`)
  for (let at = 0; at < samples; at += 1_000) {
    const own = Array.from({ length: Math.min(1_000, samples - at) }, (_, nth) => ({
      ...{
        key: 'enterprise-1',
        part: 'pace',
        atMs: Math.floor((at + nth) / 200),
        ms: (nth % 97) + 1,
      },
      metadata: { limit: '10000000', remaining: `${1e7 - at - nth}`, reset: '1769861100' },
    }))
    const lines = fakeK6({ plan, samples: own }).trim().split('\n').slice(2, -1)
    if (!out.write(`${lines.join('\n')}\n`)) await once(out, 'drain')
  }
  out.end(`${rest.join('\n')}\n`)
  await once(out, 'finish')
}

const parseEachLine = async (file: string): Promise<void> => {
  for await (const line of createInterface({ input: createReadStream(file) })) JSON.parse(line)
}

const work: Readonly<Record<string, () => Promise<unknown>>> = {
  judge: () => {
    const run = { paths: [path], scenarios: chosen, thresholds: null, options: { strict: false } }
    return judgeK6(run, { event: () => {} })
  },
  parse: () => parseEachLine(path),
}

/** In a process of its own, whose memory is only its. */
const measure = async (name: string, file: string, megabytes: number): Promise<void> => {
  const startMs = performance.now()
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [memory] = await once(child.stdout, 'data')
  print(name, megabytes, performance.now() - startMs, `${memory}`.trim())
}

const print = (name: string, megabytes: number, ms: number, memory = ''): void => {
  const rate = `${Math.round((1_000 * megabytes) / ms)} MB/s`
  console.log(`${name.padEnd(12)}${rate.padStart(10)}  ${(ms / 1_000).toFixed(1)} s  ${memory}`)
}

const compare = async (samples: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-bench-'))
  const file = join(folder, 'samples.json')
  try {
    await generate(file, samples)
    const megabytes = statSync(file).size / 1e6
    console.log(`${samples} samples, ${Math.round(megabytes)} MB`)
    const startMs = performance.now()
    execFileSync('wc', ['-l', file])
    print('wc -l', megabytes, performance.now() - startMs)
    await measure('judge', file, megabytes)
    await measure('parse', file, megabytes)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const own = work[command ?? '']
if (own) {
  await own()
  const { maxRSS, userCPUTime } = process.resourceUsage()
  const seconds = (userCPUTime / 1e6).toFixed(1)
  console.log(`${seconds} s of processor, ${Math.round(maxRSS / 1_024)} MB of memory at most`)
} else await compare(Number(command ?? 10_000_000))
