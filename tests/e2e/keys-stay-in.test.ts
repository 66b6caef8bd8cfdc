// No key and no secret of a header in any file, format or message, even where the target sends it
// back in every way it can.
import { readdirSync, readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formats } from '../../reports/formats.ts'
import { serveWith } from '../raw-server.ts'
import { allText, emptyFolder, folderWith, petvet } from './petvet.ts'

/** With what is spelt otherwise in an address and in JSON. */
const key = 'grepme+0123/4567=89abcdef'
const base64Of = (text: string) => Buffer.from(text).toString('base64')
const hexPairs = [...key].map((letter) => Buffer.from(letter).toString('hex'))
const spellings = [
  key,
  encodeURIComponent(key),
  encodeURIComponent(key).replace(/%../g, (spelt) => spelt.toLowerCase()),
  key.replaceAll('/', '\\/'),
  Buffer.from(key).toString('base64'),
  ...['', 'u', 'us', 'user:'].map((before) => base64Of(`${before}${key}`)),
  base64Of(`Bearer ${key}, as it came`),
  Buffer.from(key).toString('hex'),
  hexPairs.map((pair) => `%${pair}`).join(''),
  key.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'),
  key.replaceAll('/', '&#x2F;').replaceAll('+', '&#43;'),
  ...[' ', ':', ', 0x', '\\x'].map((between) => hexPairs.join(between)),
  JSON.stringify([...Buffer.from(key)]),
  JSON.stringify(Buffer.from(key, 'utf16le').toString('latin1')),
]
const echo = spellings.join(' ')

/** A longer part of a key must not show. */
const stretches = Array.from({ length: key.length - 7 }, (_, at) => key.slice(at, at + 8))

/** JSON as PHP writes it: slashes are escaped. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll('/', '\\/')
const sent = spellings.filter((spelling) => !spelling.includes('\\'))
const inJson = sent.join(' ')

/** Echoes the key in headers, bodies, errors and redirects; its lists are valid. */
const telltale: RequestListener = (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const isKnown = request.headers.authorization === `Bearer ${key}`
  const headers = {
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '59',
    'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1_000) + 60),
    'X-Echo': echo,
    [`X-Seen-${encodeURIComponent(key)}`]: '1',
    'Content-Type': `application/json; key="${key}"`,
    Location: `http://localhost/login?key=${encodeURIComponent(key)}&again=${key}`,
  }
  const send = (status: number, body: string) => {
    response.writeHead(status, `Says ${key}`, headers)
    response.end(body)
  }
  request.resume()
  if (!isKnown) send(401, json({ code: key, message: inJson, status: 401 }))
  else if (request.method === 'POST') send(500, `Error: ${echo}\n    at ${key} (/srv/${key}.js)`)
  else if (url.pathname === '/v1/pets') {
    send(200, json([{ id: 1, name: inJson, categoryId: key, [key]: sent }]))
  } else send(302, `<a href="?${echo}">${echo}</a>`)
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

test('a key that is sent back is in no file, format or message', async () => {
  const folder = emptyFolder()
  const url = `${await serveWith(telltale)}/v1`
  const names = Object.keys(formats).join(',')
  const env = { GREP_KEY: key, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'sum') }
  const check = (out: string, ...only: string[]) =>
    petvet(
      [
        ...['check', url, '--key', 'free=$GREP_KEY', '--out', out, '--report', names, '--verbose'],
        ...['--timeout', '2'],
        ...only.flatMap((glob) => ['--only', glob]),
      ],
      { folder, env },
    )
  const ended = await Promise.all([
    check('one', 'auth-missing*', 'list-limit-*', 'create-name-e*', 'header*', 'body-*', 'error-*'),
    check('two', 'list-limit-most', 'body-*'),
  ])
  const every = ['terminal', 'json', names].join(',')
  ended.push(await petvet(['report', 'one', '--as', every, '--out', 'again'], { folder }))
  for (const as of ['text', 'markdown']) {
    ended.push(await petvet(['compare', 'one', 'two', '--as', as], { folder }))
  }
  const said = ended.map(({ stdout, stderr }) => stdout + stderr)
  const files = filesIn(folder)
  expect(ended.map(({ code }) => code)).not.toContain(2)
  expect(said[0]).toContain('$GREP_KEY')
  expect(files.length).toBeGreaterThanOrEqual(3 * (Object.keys(formats).length + 2) + 3)
  for (const text of [...said, ...files.map((file) => readFileSync(file, 'utf8'))]) {
    const found = spellings.filter((spelling) => text.includes(spelling))
    expect(found.map((spelling) => text.slice(text.indexOf(spelling) - 80).slice(0, 160))).toEqual(
      [],
    )
    expect(stretches.filter((stretch) => text.includes(stretch))).toEqual([])
  }
}, 60_000)

/** With signs that JSON, HTML, addresses and forms spell otherwise, and letters in both cases. */
const secret = `Access+of/"this"=<Tenant> & that's it\\n`
const escapedEach = (spell: (code: number) => string) =>
  [...secret].map((letter) => spell(letter.charCodeAt(0))).join('')
const hexOf = (code: number) => code.toString(16).padStart(2, '0')
/** What HTML escapes, by a name, or by a number in either form. */
const inHtml = (spell: (name: string, code: number) => string) =>
  ['amp &', 'lt <', 'gt >', 'quot "', "apos '"].reduce((text, pair) => {
    const [name = '', sign = ''] = pair.split(' ')
    return text.replaceAll(sign, spell(name, sign.charCodeAt(0)))
  }, secret)
const bytesOfSecret = Buffer.from(secret)
const secretForms = [
  secret,
  secret.toLowerCase(),
  secret.toUpperCase(),
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  JSON.stringify(secret.replaceAll('/', '\\/')).slice(1, -1),
  secret.replace(/[&<>'"+\\]/g, (sign) => `\\u${hexOf(sign.charCodeAt(0)).padStart(4, '0')}`),
  escapedEach((code) => `\\u00${hexOf(code)}`),
  escapedEach((code) => `\\u00${hexOf(code).toUpperCase()}`),
  inHtml((name) => `&${name};`),
  inHtml((_name, code) => `&#${code};`),
  inHtml((_name, code) => `&#x${hexOf(code)};`),
  escapedEach((code) => `&#X${hexOf(code).toUpperCase()};`),
  encodeURIComponent(secret),
  encodeURIComponent(secret).toLowerCase(),
  encodeURIComponent(encodeURIComponent(secret)),
  new URLSearchParams({ a: secret }).toString().slice(2),
  escapedEach((code) => `%${hexOf(code)}`),
  bytesOfSecret.toString('hex'),
  bytesOfSecret.toString('hex').toUpperCase(),
  ...['', 'u', 'us', 'user:'].flatMap((before) => [
    Buffer.from(`${before}${secret} and more`).toString('base64'),
    Buffer.from(`${before}${secret}`).toString('base64url'),
  ]),
]

/** A reason and a header can have no line end, nor the target's JSON an invalid escape. */
const echoSecret: RequestListener = (request, response) => {
  request.resume()
  const forms = secretForms.join(' ')
  response.writeHead(request.method === 'POST' ? 500 : 200, `OK ${forms}`, {
    'X-Echo': forms,
    'Retry-After': secretForms[9],
    'Content-Type': `text/html; as="${forms}"`,
    [`X-${bytesOfSecret.toString('hex')}`]: '1',
  })
  const strings = secretForms.map((form) => JSON.stringify(form))
  const raw = secretForms.filter((form) => form.includes('\\u')).map((form) => `"${form}"`)
  response.end(`[{"id":1,"name":[${[...strings, ...raw].join()}],"status":${strings[6]}}]`)
}

test('a header of the environment is sent, and is in no report, in no form', async () => {
  const seen = new Set<unknown>()
  const origin = await serveWith((request, response) => {
    seen.add(`${request.headers['x-access']}, ${request.headers['x-tenant']}`)
    echoSecret(request, response)
  })
  const config = 'headers: { X-Access: $ACCESS, X-Tenant: $TENANT, X-Plain: $PLAIN }\n'
  const folder = folderWith({ 'petvet.config.yaml': config })
  const args = [
    'check',
    `${origin}/v1`,
    '--key',
    'pro=$PET_KEY',
    '--allow',
    'write',
    '--verbose',
    '--no-wait',
  ]
  const only = ['list-*', 'create-name-e*', 'header*', 'body-*', 'error-*', 'get-*']
  const reports = Object.keys(formats).join(',')
  const flags = [...only.flatMap((glob) => ['--only', glob]), '--out', 'run', '--report', reports]
  const env = {
    ...{ PET_KEY: 'a-key-of-a-test', ACCESS: secret, TENANT: 'blue', PLAIN: 'true' },
    ...{ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'sum') },
  }
  const { stdout, stderr, code } = await petvet([...args, ...flags], { folder, env })
  expect(code).toBe(1)
  expect([...seen]).toEqual([`${secret}, blue`])
  const summary = readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8')
  const all = `${allText(join(folder, 'run'))}${summary}${stdout}${stderr}`
  expect(all).toContain('$ACCESS')
  // A plain word would be hidden wherever it is a word of the report.
  expect(all).toContain('X-Tenant: blue')
  expect(all).not.toMatch(/\$TENANT|\$PLAIN/)
  const found = secretForms.filter((form) => all.includes(form))
  expect(found.map((form) => all.slice(all.indexOf(form) - 80).slice(0, 160))).toEqual([])
  // Nor may a longer part of it be left: of its text, or of what was made of it.
  const parts = [secret, secret.toUpperCase(), ...secretForms.slice(18)].flatMap((form) =>
    Array.from({ length: form.length - 17 }, (_, at) => form.slice(at + 4, at + 14)),
  )
  const left = parts.filter((part) => all.includes(part))
  expect(left.map((part) => all.slice(all.indexOf(part) - 80).slice(0, 160))).toEqual([])
})
