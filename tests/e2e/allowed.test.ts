// A server whose address is not loopback gets reads only, unless --allow permits more.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vet } from '../../index.ts'
import { opened, serveBytes } from '../raw-server.ts'
import { serveReference } from '../serve-reference.ts'
import { emptyFolder, petvet, readRunFile } from './petvet.ts'

const key = 'petvet-test-key-allowed'
/** For the second run of a test: a run may take the whole minute of its key. */
const spare = 'petvet-test-key-spare'

interface ReceivedRequest {
  readonly method: string
  /** Its address, and fields that may have a key in them. */
  readonly elsewhere: string
  readonly status: number
}

/** The reference, which records the requests; 0.0.0.0 is no loopback address. */
const recording = async () => {
  const heard: ReceivedRequest[] = []
  const reference = await serveReference({
    keys: [
      { plan: 'free', key },
      { plan: 'free', key: spare },
    ],
    variant: {
      handle: (honest) => async (request) => {
        const response = await honest(request)
        const fields = ['cookie', 'x-api-key', 'proxy-authorization'].map(request.header)
        const elsewhere = [request.target, ...fields].join()
        heard.push({ method: request.method, elsewhere, status: response.status })
        return response
      },
    },
  })
  return { elsewhere: reference.url.replace('127.0.0.1', '0.0.0.0'), heard }
}

const methodsOf = (heard: readonly ReceivedRequest[]) => new Set(heard.map(({ method }) => method))
const few = ['--only', 'list-limit*']
const reads = ['GET', 'HEAD', 'OPTIONS']
const isRead = ({ method }: ReceivedRequest) => reads.includes(method)

test('off loopback a check only reads; with --allow write it creates', async () => {
  const { elsewhere, heard } = await recording()
  const folder = emptyFolder()
  const args = ['check', elsewhere, '--key', `free=${key}`, '--skip', 'limits*', '--seed', '7']
  const { code } = await petvet([...args, '--skip', 'list*', '--out', 'run'], { folder })
  expect(code).toBe(0)
  expect(heard.length).toBeGreaterThan(40)
  expect(heard.filter((each) => !isRead(each))).toEqual([])
  expect(heard.filter(({ status }) => status === 429)).toEqual([])
  const run = readRunFile(join(folder, 'run'))
  expect(run.requests).toBe(heard.length)
  const untested = run.checks.filter(({ because }) => because === 'permission')
  expect(untested.length).toBeGreaterThan(50)
  expect(heard.filter((each) => each.elsewhere.includes(key))).toEqual([])
  expect(untested.map(({ id }) => id)).toContain('auth-query-api-key-list-401')

  const only = ['--only', 'create-valid-201', '--allow', 'write', '--out', 'more']
  await petvet(['check', elsewhere, '--key', `free=${spare}`, ...only], { folder })
  expect(methodsOf(heard)).toContain('POST')
})

test('off loopback a load exhausts nothing without --allow exhaust', async () => {
  const { elsewhere, heard } = await recording()
  const args = ['load', elsewhere, '--key', `free=${key}`, '--no-mock', '--no-reference']
  const { stdout } = await petvet([...args, '--scenario', 'burst', '--scenario', 'ban'], {
    folder: emptyFolder(),
  })
  expect(stdout).toContain('--allow')
  expect(heard.filter((each) => !isRead(each))).toEqual([])
  expect(heard.length).toBeLessThan(5)
})

test('the same holds for a program', async () => {
  const { elsewhere, heard } = await recording()
  const run = await vet({
    target: elsewhere,
    keys: [{ plan: 'free', key }],
    only: ['create*', 'auth-first*'],
  }).run
  expect(run.requests).toBe(heard.length)
  expect(heard.filter((each) => !isRead(each))).toEqual([])
})

test('a plan sends nothing, and does not even connect', async () => {
  const { origin, connections } = await opened(serveBytes(() => {}))
  for (const host of ['0.0.0.0', '127.0.0.1']) {
    const target = `${origin.replace('127.0.0.1', host)}/v1`
    const args = ['plan', target, '--key', `free=${key}`, '--clock', `${target}/clock`, ...few]
    const { code } = await petvet(args, { folder: emptyFolder() })
    expect(code).toBe(0)
  }
  expect(connections()).toBe(0)
})
