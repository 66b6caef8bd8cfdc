// No key is written: neither verbatim, nor encoded, nor in a forgery derived from it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { writeCurl } from './curl.ts'
import { forgeWith, keyNotes, Redactor } from './redact.ts'

const key = 's3cret/key+1'

const redactorWithKey = (...keys: string[]) => {
  const redactor = new Redactor()
  for (const each of keys.length > 0 ? keys : [key]) redactor.hideKey(each)
  return redactor
}

const hexOf = (character: string) => Buffer.from(character).toString('hex')
const each = (text: string, spell: (character: string) => string) => [...text].map(spell).join('')
const pairs = (text: string, prefix = '') => [...text].map((c) => `${prefix}${hexOf(c)}`)
/** What is written in place of a text with a secret in a spelling that few servers use. */
const hiddenFor = (shell: string) => `(hidden: it contains ${shell} in another form)`
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a key that is sent back', () => {
  const long = `${key}&<long>='enough'`

  test.for([
    ['as JSON may spell it', each(long, (c) => (/\w/.test(c) ? c : `\\u00${hexOf(c)}`))],
    ['as JSON in JSON', each(long, (c) => `\\\\u00${hexOf(c).toUpperCase()}`)],
    ['in HTML by numbers', each(long, (c) => `&#${c.charCodeAt(0)};`)],
    ['in HTML by hexadecimal', each(long, (c) => (/\w/.test(c) ? c : `&#x${hexOf(c)};`))],
    ['as code may spell it', each(long, (c) => `\\x${hexOf(c)}`)],
    ['as code with braces', each(long, (c) => (/\w/.test(c) ? c : `\\u{${hexOf(c)}}`))],
    ['in HTML by names', long.replaceAll('&', '&amp;').replaceAll('<', '&lt;')],
    ['in HTML by rarer names', long.replaceAll('/', '&sol;').replaceAll('+', '&plus;')],
    ['each letter percent-encoded', each(long, (c) => `%${hexOf(c)}`)],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(long))],
    ['in hexadecimal', Buffer.from(long).toString('hex')],
    ['in hexadecimal with capitals', Buffer.from(long).toString('hex').toUpperCase()],
    ['in base64', base64(long)],
    ['in base64 after one byte', base64(`:${long}`)],
    ['in base64 after two', base64(`u:${long}:more`)],
    ['in base64 after many', base64(`user:${long}, and what comes then`)],
    ['in base64 of an address', Buffer.from(`ab:${long}`).toString('base64url')],
    ['with another letter, in base64', base64(`Bearer x${long.slice(1)}`)],
    ['in base64 with slashes that JSON escapes', base64(`>?${long}`).replaceAll('/', '\\/')],
    ['in hexadecimal with spaces', pairs(long).join(' ')],
    ['in hexadecimal with colons', pairs(long).join(':').toUpperCase()],
    ['in hexadecimal with a prefix', pairs(long, '0x').join(',')],
    ['in hexadecimal with a prefix and spaces', `{${pairs(long, '0X').join(', ')}}`],
    ['in hexadecimal as code spells it', pairs(long, '\\x').join('')],
    ['in hexadecimal as strings', JSON.stringify(pairs(long))],
    ['in hexadecimal as UTF-16', Buffer.from(long, 'utf16le').toString('hex')],
    ['as a list of bytes', JSON.stringify([...Buffer.from(long)])],
    ['as a list with spaces', `[${[...Buffer.from(long)].join(', ')}]`],
    ['as a list without commas', `[${[...Buffer.from(long)].join(' ')}]`],
    ['as a list in JSON, twice', JSON.stringify(JSON.stringify(new Uint8Array(Buffer.from(long))))],
    ['as an object of bytes', JSON.stringify(new Uint8Array(Buffer.from(long)))],
    ['as a list of UTF-16', JSON.stringify([...Buffer.from(long, 'utf16le')])],
    ['as UTF-16', Buffer.from(long, 'utf16le').toString('latin1')],
    ['as UTF-16 in JSON', JSON.stringify(Buffer.from(long, 'utf16le').toString('latin1'))],
    ['as UTF-32', each(long, (c) => `${c}\0\0\0`)],
  ])('%s is hidden', ([name = '', spelt = '']) => {
    const redacted = redactorWithKey(long).redact(`before ${spelt} after`)
    expect(redacted).toBe(hiddenFor('$PETVET_KEY'))
    // Of what was made of the key no substring is left that shows six of its letters.
    const secret = [
      ...(name.includes('base64') ? [] : [spelt.slice(8, -8)]),
      hexOf(long),
      hexOf(long).toUpperCase(),
      ...[0, 1, 2].map((at) => base64(`${'x'.repeat(at)}${long}`).slice(4, -4)),
    ]
    for (const whole of [long, encodeURIComponent(long), ...secret]) {
      for (let at = 0; at + 8 <= whole.length; at += 1) {
        expect(redacted).not.toContain(whole.slice(at, at + 8))
      }
    }
  })

  test.for([
    ['hexadecimal', createHash('sha512').update('any').digest('hex')],
    ['hexadecimal with colons', pairs('x'.repeat(60)).join(':')],
    ['numbers', JSON.stringify(Array.from({ length: 60 }, (_, at) => at + 40))],
    ['escapes', `${encodeURIComponent('/'.repeat(60))}\\u0041&amp;\0&#65;`],
  ])('leaves other %s alone', ([, other = '']) => {
    expect(redactorWithKey(long).redact(other)).toBe(other)
  })

  test('is found wherever it is in a long text', () => {
    const spelt = each(key, (c) => `%${hexOf(c)}`)
    const text = `${'a'.repeat(65_536)}${spelt}${'b'.repeat(80_000)}`
    expect(redactorWithKey().redact(text)).toBe(hiddenFor('$PETVET_KEY'))
  })

  test.for([
    ['verbatim', key],
    ['as JSON', JSON.stringify(key).slice(1, -1)],
    ['as PHP writes JSON', key.replaceAll('/', '\\/')],
    ['in an address', encodeURIComponent(key)],
    ['in another letter case', key.toUpperCase()],
  ])('%s is replaced where it is', ([, spelt = '']) => {
    expect(redactorWithKey().redact(`before ${spelt} after`)).toBe('before $PETVET_KEY after')
  })

  test('takes no time in a text that is almost a key, again and again', () => {
    const redactor = redactorWithKey('a'.repeat(200))
    const texts = ['61', '0x61, ', '97,', '"1":97,', '\\u0061\\u0000', '%61', '%25'].map((one) =>
      `${one.repeat(150)}zz`.repeat(10),
    )
    for (const text of texts) expect(redactor.redact(text)).toBe(text)
  })

  test('takes no time in 1 MiB of one sign of an escape, or with a key of them', () => {
    const redactor = redactorWithKey(long, `${'\\'.repeat(40)}a`, `a${'&%'.repeat(20)}`)
    for (const sign of ['\\', '\\"', '%', '%25', '&', '&#', '&amp', '\\u', '+', '\0']) {
      const text = `${sign.repeat(1_048_576 / sign.length)} ${long.slice(1)}`
      expect(redactor.redact(text) === text).toBe(true)
    }
  })
})

describe('a secret of its own', () => {
  const secret = 'pa"ss\\wörd & "co"'
  const redactor = redactorWithKey()
  redactor.hideKey(secret, '$ACCESS')

  test.for([
    ['verbatim', secret],
    ['in capitals', secret.toUpperCase()],
    ['as JSON', JSON.stringify(secret).slice(1, -1)],
    ['as JSON in JSON', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['as JSON of ASCII alone', JSON.stringify(secret).slice(1, -1).replace('ö', '\\u00F6')],
    ['in HTML', secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replace('ö', '&#xF6;')],
    ['in an address', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ a: secret }).toString().slice(2)],
    ['in hexadecimal', Buffer.from(secret).toString('hex')],
    ['in base64', base64(`u:${secret}`)],
    ['in base64 as JSON of ASCII escapes it', base64(`a>${secret}`).replaceAll('+', '\\u002B')],
  ])('%s is replaced by its variable, or hides the text', ([, spelt = '']) => {
    expect(['$PETVET_KEY $ACCESS', `$PETVET_KEY${hiddenFor('$ACCESS')}`]).toContain(
      redactor.redact(`${key} ${spelt}`),
    )
  })
})

test('a forgery in base64 is replaced by the command that makes it', () => {
  const redactor = redactorWithKey()
  const of = (k: string) => `Basic ${base64(`user:${k}`)}`
  const shell = 'Basic $(made)'
  expect(redactor.redact(forgeWith(redactor, key)({ of, shell }))).toBe(shell)
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

describe('a part of a key', () => {
  const firstHalf = { of: (k: string) => k.slice(0, k.length / 2), shell: '$(half)' }
  const redactedWith = (own: string, text: string) => {
    const redactor = redactorWithKey(own)
    forgeWith(redactor, own)(firstHalf)
    forgeWith(redactor, own)({ of: (k) => `Bearer ${firstHalf.of(k)}`, shell: 'Bearer $(half)' })
    return redactor.redact(text)
  }

  test('of eight characters is hidden wherever a target repeats it', () => {
    const sent = 'no such key: grepme01, grepme0123456789'
    expect(redactedWith('grepme0123456789', sent)).toBe('no such key: $(half), $PETVET_KEY')
  })

  test.for([
    ['a short one', 'free-key', 'a free pet, free=A'],
    ['a word of the interface', 'productionabcdefghij', 'a production address'],
  ])('%s stays, but for the header that sent it', ([, own = '', text = '']) => {
    expect(redactedWith(own, text)).toBe(text)
    expect(redactedWith(own, `Bearer ${firstHalf.of(own)}`)).toBe('Bearer $(half)')
  })

  test('a run says of which keys a part or a word shows', () => {
    const keys = [
      { key: 'free-key', label: 'free-1' },
      { key: 'available', label: 'free-2' },
      { key: 'grepme012345', label: 'pro-1' },
    ]
    expect(keyNotes(keys)).toEqual([
      'the key of free-1 is shorter than 12 characters: reports may show a part of it',
      'the key of free-2 is an ordinary word, which reports replace everywhere',
    ])
  })
})

test('the curl line is one that a shell takes back to the very request', () => {
  const redactor = redactorWithKey()
  const line = writeCurl(
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
    [],
  )
  expect(line).not.toContain(key)
  const shown = execFileSync('bash', ['-c', line.replace('curl ', 'printf "%s\\n" ')], {
    env: { ...process.env, PETVET_KEY: key },
  }).toString()
  expect(shown).toContain(`Authorization: Bearer ${key}\n`)
  expect(shown).toContain("http://127.0.0.1:1/v1/pets?limit='1'\n")
  expect(shown).toContain(`{"name":"it's $HOME \`x\`"}\n`)
})

test('a body with long runs of one character is short, and the shell writes the very body', () => {
  const redactor = redactorWithKey()
  const deep = `{"it's":${'['.repeat(10_000)}${']'.repeat(10_000)},"key":"${key}"}`
  const request = { method: 'POST', url: 'http://127.0.0.1:1/', headers: [], body: deep }
  const line = writeCurl({ ...request, padding: 2_000 }, redactor, [])
  expect(line).not.toContain(key)
  expect(line.length).toBeLessThan(500)
  const written = execFileSync('sh', ['-c', line.replace(/curl .*/, 'cat')], {
    env: { ...process.env, PETVET_KEY: key },
  }).toString()
  expect(written).toBe(`${' '.repeat(2_000)}${deep}`)
})

test('what cannot be read in a body is written as bytes, which a shell takes back', () => {
  const body = '{"name":"a\u200bb\u00a0c\\n 100% it\'s",\r\n"categoryId":1}'
  const request = { method: 'POST', url: 'http://127.0.0.1:1/', headers: [], body }
  const line = writeCurl(request, new Redactor(), [])
  expect(line).toMatch(/^[ -~]+$/)
  expect(execFileSync('sh', ['-c', line.replace(/curl .*/, 'cat')]).toString()).toBe(body)
})
