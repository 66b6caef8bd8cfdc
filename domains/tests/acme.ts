// A small ACME client (RFC 8555), enough to have one certificate issued over HTTP-01.
import 'reflect-metadata'
import { createHash, type webcrypto } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509'
import { Agent, fetch } from 'undici'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const { subtle } = globalThis.crypto

const base64url = (bytes: Uint8Array | ArrayBuffer | string): string =>
  Buffer.from(bytes as Uint8Array).toString('base64url')

const generateKeys = () =>
  subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>

/** What an HTTP-01 challenge wants to find, at `/.well-known/acme-challenge/` and the token. */
export type Publish = (token: string, answer: string) => void

interface Answered {
  readonly body: Record<string, unknown>
  readonly text: string
  readonly location: string
}

const pollsMost = 50
const pollEachMs = 100

interface Acme {
  readonly post: (url: string, payload: object | null) => Promise<Answered>
  readonly directory: Record<string, string>
  readonly thumbprint: string
}

/** The server's own certificate is made for the test, and trusted by nobody. */
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })

const connect = async (directoryUrl: string): Promise<Acme> => {
  const answer = await fetch(directoryUrl, { dispatcher })
  const directory = (await answer.json()) as Record<string, string>
  const keys = await generateKeys()
  const { kty, crv, x, y } = await subtle.exportKey('jwk', keys.publicKey)
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest()
  let account: string | undefined
  const nonce = async () =>
    (await fetch(directory.newNonce ?? '', { method: 'HEAD', dispatcher })).headers.get(
      'replay-nonce',
    )
  const post = async (url: string, payload: object | null): Promise<Answered> => {
    const who = account === undefined ? { jwk: { crv, kty, x, y } } : { kid: account }
    const head = base64url(JSON.stringify({ alg: 'ES256', nonce: await nonce(), url, ...who }))
    const body = payload === null ? '' : base64url(JSON.stringify(payload))
    const bytes = new TextEncoder().encode(`${head}.${body}`)
    const signature = base64url(await subtle.sign(algorithm, keys.privateKey, bytes))
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/jose+json' },
      body: JSON.stringify({ protected: head, payload: body, signature }),
      dispatcher,
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${url}: ${reply.status} ${text}`)
    const location = reply.headers.get('location') ?? ''
    account ??= location
    return { text, location, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }
  return { post, directory, thumbprint: base64url(thumbprint) }
}

const poll = async ({ post }: Acme, url: string): Promise<Record<string, unknown>> => {
  for (let look = 0; look < pollsMost; look++) {
    const { body } = await post(url, null)
    if (!['pending', 'processing'].includes(String(body.status))) return body
    await new Promise((resolve) => setTimeout(resolve, pollEachMs))
  }
  throw new Error(`${url} does not come to an end`)
}

interface Challenge {
  readonly type: string
  readonly url: string
  readonly token: string
}

/** @throws Error where the authority refuses: its reason is in the message */
const prove = async (acme: Acme, url: string, publish: Publish): Promise<void> => {
  const { body } = await acme.post(url, null)
  const all = body.challenges as Challenge[]
  const challenge = all.find(({ type }) => type === 'http-01')
  if (!challenge) throw new Error('the authority offers no HTTP-01')
  publish(challenge.token, `${challenge.token}.${acme.thumbprint}`)
  await acme.post(challenge.url, {})
  const ended = await poll(acme, url)
  if (ended.status !== 'valid') throw new Error(JSON.stringify(ended))
}

/** @returns key and chain in PEM */
export const issueOverHttp = async (
  directoryUrl: string,
  host: string,
  publish: Publish,
): Promise<{ key: string; cert: string }> => {
  const acme = await connect(directoryUrl)
  await acme.post(acme.directory.newAccount ?? '', { termsOfServiceAgreed: true })
  const order = await acme.post(acme.directory.newOrder ?? '', {
    identifiers: [{ type: 'dns', value: host }],
  })
  for (const url of order.body.authorizations as string[]) await prove(acme, url, publish)
  const keys = await generateKeys()
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
  })
  await acme.post(String(order.body.finalize), { csr: base64url(request.rawData) })
  const done = await poll(acme, order.location)
  const { text } = await acme.post(String(done.certificate), null)
  const der = Buffer.from(await subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const lines = der.match(/.{1,64}/g) ?? []
  const key = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n')
  return { key, cert: text }
}
