// Proxies: which one serves an address, and no message repeats its secrets.
import { describe, expect, test } from 'vitest'
import { settingsOf } from './config-file.ts'
import { readReach } from './target-connection.ts'

const reachOf = (address: string, environment: Record<string, string>, proxy?: string) => {
  const settings = settingsOf(
    { ...(proxy && { proxy }) },
    { file: null, folder: '', config: {} },
    '',
  )
  const { reach, secrets } = readReach(settings, environment, [new URL(address)])
  return { secrets, proxy: reach.proxyOf(new URL(address)) }
}

const originOf = (address: string, environment: Record<string, string>) =>
  reachOf(address, environment).proxy?.origin ?? null

describe('the environment', () => {
  test.for<[string, Record<string, string>, string | null]>([
    ['https://api.example/v1', { HTTPS_PROXY: 'http://p.example:3128' }, 'http://p.example:3128'],
    ['https://api.example/v1', { https_proxy: 'http://p.example:3128' }, 'http://p.example:3128'],
    ['https://api.example', { https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:1' }, 'http://a:1'],
    ['https://api.example', { https_proxy: '', HTTPS_PROXY: 'http://b:1' }, 'http://b:1'],
    ['https://api.example', { HTTPS_PROXY: 'p.example:3128' }, 'http://p.example:3128'],
    ['https://api.example', { HTTPS_PROXY: 'https://p.example' }, 'https://p.example'],
    ['https://api.example', { HTTP_PROXY: 'http://p.example:3128' }, null],
    ['http://api.example', { HTTP_PROXY: 'http://p.example:3128' }, 'http://p.example:3128'],
    ['http://api.example', { HTTPS_PROXY: 'http://p.example:3128' }, null],
    ['http://127.0.0.1:8080', { HTTP_PROXY: 'http://p.example:3128' }, null],
    ['http://localhost:8080', { HTTP_PROXY: 'http://p.example:3128' }, null],
    ['https://[::1]:8080', { HTTPS_PROXY: 'http://p.example:3128' }, null],
    ['https://api.example', {}, null],
  ])('for %s, %j: %s', ([address, environment, origin]) => {
    expect(originOf(address, environment)).toBe(origin)
  })

  test.for<[string, string, boolean]>([
    ['https://api.example', 'api.example', false],
    ['https://v1.api.example', 'api.example', false],
    ['https://api.example', '.example', false],
    ['https://api.example', '*.example', false],
    ['https://example', '*.example', false],
    ['https://example', '.example', false],
    ['https://myapi.example', 'api.example', true],
    ['https://api.example', 'API.Example', false],
    ['https://api.example.', 'api.example', false],
    ['https://api.example', 'other.example, api.example', false],
    ['https://api.example', 'other.example api.example', false],
    ['https://api.example', '*', false],
    ['https://api.example', 'api.example:443', false],
    ['https://api.example', 'api.example:8443', true],
    ['https://api.example:8443', 'api.example:8443', false],
    ['https://10.1.2.3', '10.1.2.3', false],
    ['https://10.1.2.33', '2.33', true],
    ['https://[fd00::1]', 'fd00::1', false],
    ['https://[fd00::1]:8443', '[fd00::1]:8443', false],
    ['https://api.example', '10.0.0.0/99, nonsense/x, ,', true],
    ['https://api.example', '', true],
  ])('%s with NO_PROXY=%s is proxied: %s', ([address, list, isProxied]) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const environment = { HTTPS_PROXY: 'http://p.example:3128', [name]: list }
      expect(originOf(address, environment) !== null).toBe(isProxied)
    }
  })

  test.for(['socks5://p.example:1080', 'http://', 'http:p.example', 'http://user:hunter22@'])(
    'a value that is no HTTP proxy is not repeated: %s',
    (text) => {
      const read = () => originOf('https://api.example', { HTTPS_PROXY: text })
      expect(read).toThrow('invalid proxy in $HTTPS_PROXY; ')
      expect(read).not.toThrow(/hunter22|p\.example/)
    },
  )
})

describe('credentials', () => {
  const address = 'http://us%65r:p%40ssw%6Frd@p.example:3128'

  test('are decoded, kept apart, and secrets', () => {
    const found = reachOf('https://api.example', { HTTPS_PROXY: address })
    const token = Buffer.from('user:p@ssword').toString('base64')
    expect(found.proxy).toMatchObject({
      origin: 'http://p.example:3128',
      authorization: `Basic ${token}`,
    })
    expect(found.secrets.map(({ text }) => text)).toEqual([token, 'p@ssword'])
  })

  test('are accepted only from a variable', () => {
    const named = reachOf('https://api.example', { PROXY: address }, '$PROXY')
    expect(named.proxy?.origin).toBe('http://p.example:3128')
    const literal = () => reachOf('https://api.example', {}, address)
    expect(literal).toThrow('--proxy must not contain a password')
    expect(literal).not.toThrow(/p%40|us%65r/)
    expect(() => reachOf('https://api.example', {}, '$PROXY')).toThrow('$PROXY, which is not set')
  })
})
