// The file of the notebook: written whole, and what is wrong with it told in one line.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../tests/e2e/petvet.ts'
import { notebookPath, openNotebookFile } from './notebook-file.ts'

test('it is made where there is none, folders above it too, and written whole', () => {
  const folder = emptyFolder()
  const file = join(folder, 'kept', 'notebook.json')
  openNotebookFile(file).save()
  openNotebookFile(file).save()
  expect(existsSync(file)).toBe(true)
  expect(readdirSync(join(folder, 'kept'))).toEqual(['notebook.json'])
})

test('what is no notebook is refused in one line, and left as it is', () => {
  const file = join(emptyFolder(), 'notebook.json')
  for (const text of ['', '{"schema": 9}', '{"schema":1,\n"pages":', '[]']) {
    writeFileSync(file, text)
    expect(() => openNotebookFile(file)).toThrow(/^the notebook [^\n]+: [^\n]+ move this one away$/)
    expect(readFileSync(file, 'utf8')).toBe(text)
  }
})

test('one that is too long is not read, and a folder is none', () => {
  const folder = emptyFolder()
  const file = join(folder, 'notebook.json')
  writeFileSync(file, Buffer.alloc(8 * 1024 * 1024 + 1, 0x20))
  expect(() => openNotebookFile(file)).toThrow('longer than a notebook can be')
  mkdirSync(join(folder, 'folder'))
  expect(() => openNotebookFile(join(folder, 'folder'))).toThrow('it is no file')
  expect(() => openNotebookFile('/proc/notebook/none')).toThrow(/^the notebook .*E[A-Z]+/)
})

test('the flag starts from the current folder, the configuration from its own', () => {
  const found = { file: '/etc/pets/c.yaml', folder: '/etc/pets', config: { notebook: 'n.json' } }
  expect(notebookPath('m.json', found, '/work')).toBe('/work/m.json')
  expect(notebookPath(undefined, found, '/work')).toBe('/etc/pets/n.json')
  expect(notebookPath(undefined, { ...found, config: {} }, '/work')).toBeNull()
})
