// Keys leave through no door: neither as they stand, nor encoded, nor in a forgery.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlOf } from './curl.ts'
import { createRedactor, forgeWith } from './redact.ts'

const key = 's3cret/key+1'

const redactorWithKey = () => {
  const redactor = createRedactor()
  redactor.hideKey(key)
  return redactor
}

test('a key is hidden in any text, and in its spelling for an address', () => {
  const { redact } = redactorWithKey()
  expect(redact(`Bearer ${key}, ${key}`)).toBe('Bearer $PETVET_KEY, $PETVET_KEY')
  expect(redact(`/pets?api_key=${encodeURIComponent(key)}`)).toBe('/pets?api_key=$PETVET_KEY')
})

test('a forgery is hidden whole, also where it holds the key', () => {
  const redactor = redactorWithKey()
  const forged = forgeWith(redactor, key)({ of: (k) => `${k}x`, shell: '$PETVET_KEY"x"' })
  expect(forged).toBe(`${key}x`)
  expect(redactor.redact(`Bearer ${forged}`)).toBe('Bearer $PETVET_KEYx')
})

test('a forgery that is a part of the key leaves no other part of it showing', () => {
  const redactor = redactorWithKey()
  const shell = 'Bearer $(half)'
  const cut = forgeWith(redactor, key)({ of: (k) => `Bearer ${k.slice(0, 6)}`, shell })
  expect(redactor.redact(`Bearer ${key}`)).toBe('Bearer $PETVET_KEY')
  expect(redactor.redact(`Bearer ${key}-x`)).toBe('Bearer $PETVET_KEY-x')
  expect(redactor.redact(cut)).toBe(shell)
})

test('without secrets a text stays as it is', () => {
  expect(createRedactor().redact('a.b*c')).toBe('a.b*c')
})

test('the curl line is one that a shell takes back to the very request', () => {
  const redactor = redactorWithKey()
  const line = curlOf(
    {
      method: 'POST',
      url: "http://127.0.0.1:1/v1/pets?limit='1'",
      headers: [
        ['Authorization', `Bearer ${key}`],
        ['Content-Type', 'application/json'],
      ],
      body: `{"name":"it's $HOME \`x\`"}`,
    },
    redactor,
  )
  expect(line).not.toContain(key)
  const shown = execFileSync('bash', ['-c', line.replace('curl ', 'printf "%s\\n" ')], {
    env: { ...process.env, PETVET_KEY: key },
  }).toString()
  expect(shown).toContain(`Authorization: Bearer ${key}\n`)
  expect(shown).toContain("http://127.0.0.1:1/v1/pets?limit='1'\n")
  expect(shown).toContain(`{"name":"it's $HOME \`x\`"}\n`)
})
