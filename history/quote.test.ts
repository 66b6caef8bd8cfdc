// A message that quotes the target shows no part of a key, wherever the quotation is cut.
import { describe, expect, test } from 'vitest'
import { createEvidence } from '../engine/http/recorder.ts'
import { forgeWith, Redactor } from '../engine/http/redact.ts'
import { makeResult } from '../engine/run/results.ts'
import { describeResponse, expectError, short } from '../model/clause.ts'
import { fakeExchange } from '../tests/fakes/fake-exchange.ts'
import { expectStatus } from '../tests/plain-checks.ts'
import { quote, write } from './quote.ts'

const key = 'hunt-Key/7f3a+9c51=d2e84b60'
const redactor = new Redactor()
redactor.hideKey(key)
forgeWith(redactor, key)({ of: (k) => k.slice(0, 13), shell: '$(half)' })
const writer = {
  redactor,
  evidenceOf: createEvidence(redactor, []),
  trace: [],
  shows: () => undefined,
  options: {},
}
const told200 = (text: string) => write(`200 ${short(text)}, and more`, redactor)

/** What of a key shows in a text: stretches of eight of its letters. */
const shownOf = (text: string, secret: string): string[] =>
  Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).filter((part) =>
    text.includes(part),
  )

const spellings: readonly (readonly [string, string])[] = [
  ['verbatim', key],
  ['for an address', encodeURIComponent(key)],
  ['in base64', Buffer.from(key).toString('base64')],
  ['in hexadecimal', Buffer.from(key).toString('hex')],
  ['by numbers', [...key].map((letter) => `&#${letter.charCodeAt(0)};`).join('')],
]

/** All ways in which a check ends with this response. */
const resultsOf = (response: ReturnType<typeof fakeExchange>): string => {
  const ends = [
    () => expectStatus(response, 204),
    () => expectError(response),
    () => {
      throw new Error(describeResponse(response))
    },
  ]
  return ends
    .map((end) => {
      try {
        end()
      } catch (error) {
        const check = { id: 'made-up', requirement: 'auth.key-invalid' } as const
        return JSON.stringify(makeResult(check, { kind: 'threw', error }, 1, writer))
      }
      return 'no end'
    })
    .join('\n')
}

describe.each(spellings)('a key %s', (_, spelt) => {
  const offsets = Array.from({ length: 11 }, (__, step) => 3 * step)

  test.each(offsets)('shows nothing where a text is cut %i letters into it', (letters) => {
    for (const most of [300, 600, 16 * 1024]) {
      const text = `${'z'.repeat(most - letters)}${spelt} ${'z'.repeat(20)}`
      const body = JSON.stringify({ code: 'x', message: text, status: '401' })
      for (const response of [text, body, `[${body}`]) {
        const shown = resultsOf(fakeExchange('/pets', { status: 401, body: response }))
        expect(shown).not.toContain('no end')
        for (const secret of [key, spelt]) expect(shownOf(shown, secret)).toEqual([])
      }
    }
  })

  test('shows nothing where it is all that is said, or said without end', () => {
    const texts = [spelt, `"${spelt}`, `["${spelt}"${spelt}]`, `{${spelt}`, spelt.repeat(2_000)]
    for (const body of texts) {
      const shown = resultsOf(fakeExchange('/pets', { status: 401, body }))
      expect(shown).toContain('$PETVET_KEY')
      for (const secret of [key, spelt]) expect(shownOf(shown, secret)).toEqual([])
    }
  })
})

test('a long key that is said without end shows no part of itself where no more is carried', () => {
  const long = Array.from({ length: 300 }, (_, at) => at.toString(36).padStart(3, '-')).join('')
  const own = new Redactor()
  own.hideKey(long)
  const shown = write(short(long.repeat(30)), own)
  expect(shown).toBe(`${'$PETVET_KEY'.repeat(18)}… (27000 characters)`)
})

test('a long text is shown as its beginning, escaped as in JSON, and its length', () => {
  expect(told200('short')).toBe('200 short, and more')
  expect(told200('a "b"\n\\')).toBe('200 a "b"\\n\\, and more')
  expect(told200('é'.repeat(400))).toBe(`200 ${'é'.repeat(300)}… (400 characters), and more`)
  expect(told200('x'.repeat(2 ** 20))).toBe(
    `200 ${'x'.repeat(300)}… (1048576 characters), and more`,
  )
  expect(told200('\n'.repeat(200))).toBe(`200 ${'\\n'.repeat(150)}… (200 characters), and more`)
  expect(quote('x'.repeat(2 ** 20), 300).length).toBeLessThan(20_000)
})

test('a text with the signs of a quotation that is none stays as it is, and takes no time', () => {
  for (const text of ['{', '5 6', 'x 1 y', '']) {
    expect(write(`\u0002${text}\u0003`, redactor)).toBe(`\u0002${text}\u0003`)
    expect(told200(`\u0002${text}\u0003`)).toBe(`200 \\u0002${text}\\u0003, and more`)
  }
  expect(write('\u0002'.repeat(200_000), redactor)).toHaveLength(200_000)
})
