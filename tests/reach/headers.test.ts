// Further headers: sent with every request, and their secrets are printed nowhere.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allText, petvet, serveWith } from '../e2e/petvet.ts'
import { folderWith } from './vet-there.ts'

const secret = 'access+of/this=tenant'

test('a header of the environment is sent, and is in no report', async () => {
  let without = 0
  const origin = await serveWith((request, response) => {
    if (request.headers['x-access'] !== secret || request.headers['x-tenant'] !== 'blue') {
      without += 1
    }
    response.writeHead(200, { 'X-Echo': secret, 'Content-Type': 'application/json' })
    response.end(JSON.stringify([{ id: 1, name: `${secret} ${btoa(secret)}`, categoryId: 1 }]))
  })
  const config = 'headers: { X-Access: $ACCESS, X-Tenant: blue }\n'
  const folder = folderWith({ 'petvet.config.yaml': config })
  const args = ['check', `${origin}/v1`, '--key', 'free=$PET_KEY', '--allow', 'none', '--verbose']
  const flags = ['--only', 'list-*', '--out', 'run', '--report', 'html,markdown,junit']
  const env = { PET_KEY: 'a-key-of-a-test', ACCESS: secret }
  const { stdout, stderr, code } = await petvet([...args, ...flags], { folder, env })
  expect(code).not.toBe(2)
  expect(without).toBe(0)
  const all = `${allText(join(folder, 'run'))}${stdout}${stderr}`
  expect(all).toContain('$ACCESS')
  expect(all).toContain('blue')
  expect(all).not.toContain(secret)
  expect(all).not.toContain(btoa(secret))
})
