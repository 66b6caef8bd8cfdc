// The store in a file keeps every pet exactly over a restart; the net judges what both stores hold.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder } from '../tests/e2e/petvet.ts'
import { type NewPet, sqliteStore } from './store.ts'

const pets: NewPet[] = [
  { name: 'Rex\u0000 "é" 😀', categoryId: -(2n ** 63n), status: 'available' },
  { name: '', categoryId: 2n ** 63n - 1n, status: 'sold' },
  { name: ' x ', categoryId: 9_007_199_254_740_993n, status: 'available' },
]

const newFile = () => join(emptyFolder(), 'pets.sqlite')

test('a file keeps its pets, and its count of ids, over a restart', () => {
  const file = newFile()
  const before = sqliteStore(file)
  const added = pets.map(before.add)
  before.close()
  const after = sqliteStore(file)
  expect(added.map(({ id }) => after.get(id))).toEqual(added)
  expect(after.add({ name: 'n', categoryId: 1n, status: 'sold' }).id).toBe(2n ** 53n + 1n + 3n)
  after.close()
})

test('what was added is in the file even if the store is never closed', () => {
  const path = newFile()
  const script = `
    import { sqliteStore } from ${JSON.stringify(new URL('./store.ts', import.meta.url))}
    sqliteStore(${JSON.stringify(path)}).add({ name: 'n', categoryId: 7n, status: 'sold' })
    process.kill(process.pid, 'SIGKILL')`
  spawnSync(process.execPath, ['--input-type=module', '--eval', script])
  const store = sqliteStore(path)
  expect(store.get(2n ** 53n + 1n)).toMatchObject({ name: 'n', categoryId: 7n, status: 'sold' })
  store.close()
})

test('a second store on one file is refused', () => {
  const file = newFile()
  const store = sqliteStore(file)
  expect(() => sqliteStore(file)).toThrow('locked')
  store.close()
})
