// One seed sends the same requests twice.
import { expect, test } from 'vitest'
import { vetReference } from './vet-reference.ts'

interface Line {
  seq: number
  check: string
  key: string | null
  request: { bodyBase64?: string }
}

/** What is no UTF-8 is written in base64; here it is printed byte by byte. */
const readable = ({ seq, check, key, request }: Line) => {
  const bytes = Buffer.from(request.bodyBase64 ?? '', 'base64').toString('latin1')
  return [seq, check, key, { ...request, bodyBase64: bytes }] as const
}

/** The requests of a run, less what differs from run to run: port, run id, its own category. */
const requestsOf = (lines: readonly string[]): unknown => {
  const sent = lines.map((line) => readable(JSON.parse(line))).sort(([a], [b]) => a - b)
  // A body may have the letters of the run's id as escapes.
  const text = JSON.stringify(sent).replace(/\\\\u00([3-7][\da-f])/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  const mark = /petvet-([0-9a-f]{8})-/.exec(text)?.[1] ?? ''
  expect(mark).toHaveLength(8)
  return JSON.parse(
    text
      .replaceAll(mark, 'RUN')
      // A body that was cut off within its name.
      .replace(/petvet-[\da-f]{1,7}"/g, 'petvet-RUN"')
      .replace(/127\.0\.0\.1:\d+/g, 'HOST')
      .replace(/(categoryId\\"\D{0,20})1\d{18}/gi, '$1OWN'),
  )
}

/** How a key is exhausted depends on the minute in which that begins, and not on the seed. */
const contract = { allow: ['write'] } as const

const slow = { timeout: 90_000 }

test('two runs with one seed send the same requests, and another sends others', slow, async () => {
  const [first, second, other] = [
    await vetReference({}, { ...contract, seed: 11 }),
    await vetReference({}, { ...contract, seed: 11 }),
    await vetReference({}, { ...contract, seed: 12 }),
  ]
  expect(requestsOf(second.lines)).toEqual(requestsOf(first.lines))
  expect(requestsOf(other.lines)).not.toEqual(requestsOf(first.lines))
})
