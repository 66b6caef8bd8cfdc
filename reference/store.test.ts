// Both stores keep every pet exactly, and the file over a restart.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyFolder } from '../tests/e2e/petvet.ts'
import { sqliteStore } from './sqlite-store.ts'
import { firstId, memoryStore, type NewPet } from './store.ts'

const pets: NewPet[] = [
  { name: 'Rex\u0000 "é" 😀', categoryId: -(2n ** 63n), status: 'available' },
  { name: '', categoryId: 2n ** 63n - 1n, status: 'sold' },
  { name: ' x ', categoryId: 9_007_199_254_740_993n, status: 'available' },
]

const newFile = () => join(emptyFolder(), 'pets.sqlite')

describe.each([
  ['memory', memoryStore],
  ['sqlite', () => sqliteStore(newFile())],
])('%s', (_name, open) => {
  test('gives back what was added, under ids that no double holds', () => {
    const store = open()
    for (const [index, pet] of pets.entries()) {
      const added = store.add(pet)
      expect(added).toMatchObject({ ...pet, id: firstId + BigInt(index) })
      expect(store.get(added.id)).toEqual(added)
    }
    expect(store.get(1n)).toBeUndefined()
    expect(store.get(-(2n ** 63n))).toBeUndefined()
    store.close()
  })

  test('lists the newest first, by status, up to the limit', () => {
    const store = open()
    const [first, second, third] = pets.map(store.add)
    expect(store.list(undefined, 100)).toEqual([third, second, first])
    expect(store.list(undefined, 2)).toEqual([third, second])
    expect(store.list('available', 100)).toEqual([third, first])
    expect(store.list('pending', 100)).toEqual([])
    store.close()
  })
})

test('a file keeps its pets, and its count of ids, over a restart', () => {
  const file = newFile()
  const before = sqliteStore(file)
  const added = pets.map(before.add)
  before.close()
  const after = sqliteStore(file)
  expect(added.map(({ id }) => after.get(id))).toEqual(added)
  expect(after.add({ name: 'n', categoryId: 1n, status: 'sold' }).id).toBe(firstId + 3n)
  after.close()
})

test('what was added is in the file even if the store is never closed', () => {
  const path = newFile()
  const script = `
    import { sqliteStore } from ${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url))}
    sqliteStore(${JSON.stringify(path)}).add({ name: 'n', categoryId: 7n, status: 'sold' })
    process.kill(process.pid, 'SIGKILL')`
  spawnSync(process.execPath, ['--input-type=module', '--eval', script])
  const store = sqliteStore(path)
  expect(store.get(firstId)).toMatchObject({ name: 'n', categoryId: 7n, status: 'sold' })
  store.close()
})

test('a second store on one file is refused', () => {
  const file = newFile()
  const store = sqliteStore(file)
  expect(() => sqliteStore(file)).toThrow('locked')
  store.close()
})
