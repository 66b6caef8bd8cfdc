// What a target sends stays a text in every report and on the terminal: no markup, link, mention or
// command, wherever in a response it comes from.
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { formats } from '../../reports/formats.ts'
import { serveWith } from '../raw-server.ts'
import { emptyFolder, petvet } from './petvet.ts'

const line = [
  '<script>alert(1)</script> <img src=x onerror=alert(2)> ]]> --> &lt;b> </td></tr></table>',
  '`a` `` ``` ~~~ | a \\| <img src=y> \\` <img src=z> | [x](javascript:alert(3)) ![i](//e/x.png)',
  '[r]: http://evil.example/ www.evil.example @team me@evil.example ##[group]x ##vso[x]y',
].join(' ')
const lines = '\n::error::pwn\r\n::set-output name=a::b\n\n# H\n- l\n\n    code\n\u001b[31m\u202e\0'
const text = `${line}${lines}`

const key = 'key-of-a-hostile-target'

const hostile: RequestListener = (request, response) => {
  request.resume()
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']
  const others = [
    ...['Allow', 'Location', 'WWW-Authenticate', 'Date', 'Deprecation', 'Sunset', 'X-Other'],
  ]
  const headers = Object.fromEntries([...names, ...others].map((name) => [name, line]))
  const isKnown = request.headers.authorization === `Bearer ${key}`
  const status = isKnown ? { GET: 200, POST: 201 }[request.method ?? ''] : 401
  const pet = { [text]: text, id: text, name: text, status: text, categoryId: text }
  const isList = /\/pets(?:\?|$)/.test(request.url ?? '') && request.method === 'GET'
  response.writeHead(status ?? 405, line, {
    ...headers,
    'Content-Type': `application/json; ${line}`,
  })
  response.end(
    JSON.stringify(isKnown ? (isList ? [pet] : pet) : { code: text, message: text, status: text }),
  )
}

/** What is left of Markdown without its code. */
const outsideOfCode = (markdown: string): string =>
  markdown
    .replace(/^(`{3,})[^`\n]*\n.*?\n\1$/gms, '')
    .replace(/(?<!`)(`+)(?!`)[^\n]+?(?<!`)\1(?!`)/g, '')
    .replace(/<code>[^<`|\n]*<\/code>/g, '')

test('what a target sends is markup, link, mention or command in no report', async () => {
  const folder = emptyFolder()
  const origin = await serveWith(hostile)
  const summary = join(folder, 'summary.md')
  const env = { PET_KEY: key, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
  const args = ['check', `${origin}/v1`, '--key', 'free=$PET_KEY', '--allow', 'write', '--no-wait']
  const flags = [
    '--seed',
    '7',
    '--verbose',
    '--out',
    'run',
    '--report',
    Object.keys(formats).join(),
  ]
  const { code, stdout, stderr } = await petvet([...args, ...flags], { folder, env })
  expect(code).toBe(1)
  const compared = await petvet(['compare', 'run', 'run', '--as', 'markdown'], { folder })
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')

  for (const markdown of [read('run/report.md'), readFileSync(summary, 'utf8'), compared.stdout]) {
    expect(markdown).toContain('## petvet: ')
    const outside = outsideOfCode(markdown)
    expect(outside.match(/.{0,60}<(?!\/?(?:details|summary)>).{0,60}/g)).toBeNull()
    expect(
      outside.match(/.{0,60}(?:(?<!\\)[[\]`]|@\w|:\/\/|www\.|javascript:(?!alert)).{0,60}/g),
    ).toBeNull()
  }
  const page = read('run/report.html')
  expect(page).toContain('&lt;script&gt;alert(1)')
  expect(page).not.toMatch(/<script>alert|<img src=/)
  const junit = read('run/junit.xml')
  expect(junit).toContain('&lt;script&gt;alert(1)')
  expect(XMLValidator.validate(junit)).toBe(true)
  expect(junit).not.toMatch(/<script|<img/)
  for (const printed of [stdout, stderr, read('run/annotations.txt')]) {
    expect(printed).toMatch(/^.*<script>alert/m)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey
    expect(printed).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]|##\w*\[/)
    expect(printed.match(/^\s*::(?!(?:error|warning|notice) title=).*/gm)).toBeNull()
  }
}, 60_000)
