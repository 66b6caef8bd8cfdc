// What grows or stays open over many rounds in one process is found.
import { expect, test } from 'vitest'
import { faultsOf, soakBounds } from './growth-per-round.ts'

const mib = 2 ** 20

const held = {
  heapBytes: 30 * mib,
  externalBytes: 11 * mib,
  residentBytes: 200 * mib,
  files: 24,
  resources: ['PipeWrap'],
}

test.each([
  ['what comes and goes', (at: number) => ({ heapBytes: held.heapBytes + (at % 7) * mib }), []],
  [
    '4 KiB a round',
    (at: number) => ({ heapBytes: held.heapBytes + at * 4_096 }),
    ['heapBytes grew'],
  ],
  ['a file left once', (at: number) => (at === 700 ? { files: 25 } : {}), ['24 open files']],
  [
    'a socket left once',
    (at: number) => (at === 700 ? { resources: ['TCPSocketWrap'] } : {}),
    ['kept open: TCPSocketWrap'],
  ],
])('over an hour, %s', (_name, differing, says) => {
  const past = Array.from({ length: 1_500 }, (_, at) => {
    return { verdict: 'conformant', ms: 1, held: { ...held, ...differing(at) } }
  })
  const rounds = { past, outcomes: ['a pass'], differing: [], code: 0 }
  expect(faultsOf(rounds, soakBounds)).toEqual(says.map((each) => expect.stringContaining(each)))
})
