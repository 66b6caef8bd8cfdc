// docs/json.md lists exactly the members of each document.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder, petvet } from './petvet.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/json.md'), 'utf8')

const sections = page
  .split(/^## /m)
  .map((text) => ({
    command: /^petvet (.+)\n/.exec(text)?.[1] ?? '',
    members: [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name),
  }))
  .filter(({ command }) => command !== '')

test('the page has each command that prints a document of its own', () => {
  const names = new Set(sections.map(({ command }) => command.split(' ', 1)[0]))
  expect([...names].sort()).toEqual(['compare', 'explain', 'list', 'mutants', 'plan'])
})

test.for(sections)('$command', { timeout: 30_000 }, async ({ command, members }) => {
  const folder = emptyFolder()
  for (const name of ['OLD', 'NEW']) {
    cpSync(join(root, 'reports/samples'), join(folder, name), { recursive: true })
  }
  const { stdout, stderr } = await petvet(command.split(' '), { folder })
  expect(stdout, stderr).not.toBe('')
  const shown = JSON.parse(stdout)
  const items: object[] = Array.isArray(shown) ? shown : [shown]
  expect(items.length).toBeGreaterThan(0)
  for (const item of items) expect(Object.keys(item).sort()).toEqual([...members].sort())
})
