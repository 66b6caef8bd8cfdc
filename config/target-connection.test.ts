// How a target is reached: certificates, the options of curl, and which proxy serves an address.
import { beforeAll, describe, expect, test } from 'vitest'
import { emptyFolder, folderWith } from '../tests/e2e/petvet.ts'
import { certificate, locked } from '../tests/hostile/certificate-servers.ts'
import { type Config, findConfig, settingsOf } from './config-file.ts'
import { readReach } from './target-connection.ts'

const validity = { names: ['client.example'], days: [-1, 1] } as const
let own: { cert: string; key: string }
let other: { cert: string; key: string }
beforeAll(async () => {
  own = await certificate(validity)
  other = await certificate(validity)
})

interface ReachFlags extends Pick<Config, 'ca' | 'insecure' | 'proxy'> {
  readonly cert?: string
  readonly 'cert-key'?: string
  readonly 'cert-passphrase'?: string
}

/** Flags as members of the file. */
const membersOf = ({ cert, 'cert-key': key, 'cert-passphrase': pass, ...more }: ReachFlags) => ({
  ...more,
  ...(cert && {
    clientCertificate: { cert, ...(key && { key }), ...(pass && { passphrase: pass }) },
  }),
})

const lockedFlags = { cert: 'own.pem', 'cert-key': 'own.locked' }

const environment = {
  PASS: 'open sesame',
  WRONG: 'open barley',
  PROXY: 'http://me:open%20barley@two.example:8080',
}

/** In a folder with all kinds of files. */
const read = (flags: ReachFlags, config: string) => {
  const folder = folderWith({
    'own.pem': own.cert,
    'own.key': own.key,
    'own.locked': locked(own.key),
    // What a wrong passphrase opens one key in 256 to is as unreadable.
    'cut.locked':
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----',
    'both.pem': `${own.cert}\n${own.key}`,
    'other.key': other.key,
    'words.pem': 'no certificate',
    'binary.p12': Buffer.from([0x30, 0x82, 1, 2, 3]),
    'cut.pem': `${own.cert.slice(0, 200)}\n-----END CERTIFICATE-----\n`,
    'petvet.config.yaml': config,
  })
  const settings = settingsOf(membersOf(flags), findConfig(undefined, folder), folder)
  return readReach(settings, environment, [new URL('https://api.example/v1')]).reach
}

test.for<[ReachFlags, RegExp]>([
  [{ cert: 'none.pem' }, /^cannot read the client certificate \S+none.pem: ENOENT$/],
  [{ cert: '.' }, /^cannot read .*: EISDIR$/],
  [{ cert: 'words.pem' }, /words.pem cannot be used with its key: /],
  [{ cert: 'binary.p12' }, /binary.p12 cannot be used with its key: /],
  [{ cert: 'own.pem' }, /has no private key in PEM: name its key as well$/],
  [{ cert: 'own.pem', 'cert-key': 'none.key' }, /^cannot read the key .*: ENOENT$/],
  [{ cert: 'own.pem', 'cert-key': 'own.pem' }, /has no private key in PEM/],
  [
    { cert: 'own.pem', 'cert-key': 'other.key' },
    /own.pem cannot be used with its key: .*key values mismatch$/,
  ],
  [lockedFlags, /cannot be used with its key: .*bad decrypt$/],
  [{ ...lockedFlags, 'cert-passphrase': '$WRONG' }, /own.pem cannot be used with its key: /],
  [{ cert: 'own.pem', 'cert-key': 'cut.locked' }, /own.pem cannot be used with its key: /],
  [{ ...lockedFlags, 'cert-passphrase': 'open sesame' }, /must be a variable: \$NAME$/],
  [{ ...lockedFlags, 'cert-passphrase': '$UNSET' }, /reads \$UNSET, which is not set/],
  [{ cert: 'cut.pem', 'cert-key': 'own.key' }, /cut.pem cannot be used with its key: /],
  [{ ca: 'none.pem' }, /^cannot read the ca \S+: ENOENT$/],
  [{ ca: 'own.key' }, /holds no certificate in PEM$/],
  [{ ca: 'cut.pem' }, /that cannot be read/],
])('a client certificate is refused in one line: %j', ([flags, says]) => {
  expect(() => read(flags, '')).toThrow(says)
  expect(() => read(flags, '')).not.toThrow(/\n|sesame|barley/)
})
test('flags win over the file', () => {
  expect(read({}, '')).toMatchObject({ ca: null, identity: null, insecure: false })
  const config = 'ca: own.pem\ninsecure: true\nproxy: http://one.example:3128'
  const connection = read({}, config)
  expect(connection).toMatchObject({ ca: own.cert, insecure: true })
  const somewhere = new URL('https://api.example')
  expect(connection.proxyOf(somewhere)).toMatchObject({ origin: 'http://one.example:3128' })
  const flags = { insecure: false, proxy: 'two.example:8080' }
  const won = read(flags, config)
  expect(won).toMatchObject({ insecure: false })
  expect(won.proxyOf(somewhere)).toMatchObject({ origin: 'http://two.example:8080' })
  expect(read({ proxy: false }, config).proxyOf(somewhere)).toBeNull()
  expect(read({}, 'proxy: false').proxyOf(somewhere)).toBeNull()
})

describe('curl gets', () => {
  const given = { ...lockedFlags, 'cert-passphrase': '$PASS' }
  const inFile = 'clientCertificate: {cert: own.pem, key: own.locked, passphrase: $PASS}'
  const lockedWords = ["--cert 'own.pem'", "--key 'own.locked'", '--pass "$PASS"']

  test.for<[string, ReachFlags, string, string[]]>([
    ['only the version of HTTP by default', {}, '', []],
    ['a certificate of flags', given, '', lockedWords],
    ['a certificate of the file', {}, inFile, lockedWords],
    ['that of the flag, which wins', { cert: 'both.pem' }, inFile, ["--cert 'both.pem'"]],
    ['an authority of flags', { ca: './own.pem' }, '', ["--cacert 'own.pem'"]],
    ['an authority of the file', {}, 'ca: own.pem', ["--cacert 'own.pem'"]],
    ['--insecure', { insecure: true }, '', ['--insecure']],
    ['a proxy', { proxy: 'two.example:8080' }, '', ["--proxy 'two.example:8080'"]],
    ['the variable of one with a password', { proxy: '$PROXY' }, '', ['--proxy "$PROXY"']],
    ['no proxy', { proxy: false }, '', ["--noproxy '*'"]],
  ])('%s', ([, flags, config, words]) => {
    expect(read(flags, config).curl).toEqual([...words, '--http1.1'])
  })

  test('no options of TLS where there is none', () => {
    const folder = emptyFolder()
    const given = { insecure: true, proxy: 'one.example:3128' }
    const settings = settingsOf(given, findConfig(undefined, folder), folder)
    const { reach } = readReach(settings, {}, [new URL('http://api.example/v1')])
    expect(reach.curl).toEqual(["--proxy 'one.example:3128'", '--proxytunnel'])
  })
})

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
