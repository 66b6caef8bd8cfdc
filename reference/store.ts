// The store of pets: its interface, the one in memory, and the one that keeps the pets in a file.

import type { StatementSync } from 'node:sqlite'
import { printJson } from './json.ts'

export const petStatuses = ['available', 'pending', 'sold'] as const
export type PetStatus = (typeof petStatuses)[number]

export const isPetStatus = (value: unknown): value is PetStatus =>
  petStatuses.some((status) => status === value)

export interface NewPet {
  name: string
  categoryId: bigint
  status: PetStatus
}

export interface Pet extends NewPet {
  id: bigint
  /** The pet as JSON, written once: a list is then only a join of texts. */
  json: string
}

export interface Store {
  add: (pet: NewPet) => Pet
  get: (id: bigint) => Pet | undefined
  /** The newest come first, so that without paging a pet just created is seen at once. */
  list: (status: PetStatus | undefined, limit: number) => readonly Pet[]
  close: () => void
}

/** 2^53 + 1: the first pet exposes a client that reads ids as doubles. */
const firstId = 9_007_199_254_740_993n

export const makePet = (id: bigint, { name, categoryId, status }: NewPet): Pet => ({
  id,
  name,
  categoryId,
  status,
  json: printJson({ id, name, categoryId, status }),
})

/** The quotas of the keys bound how many pets it holds, as nothing removes one. */
export const memoryStore = (first = firstId): Store => {
  const byId = new Map<bigint, Pet>()
  const all: Pet[] = []
  const byStatus: Record<PetStatus, Pet[]> = { available: [], pending: [], sold: [] }
  // Lists by query, kept until a pet is added.
  const lists = new Map<string, readonly Pet[]>()
  const makeList = (status: PetStatus | undefined, limit: number): readonly Pet[] =>
    (status ? byStatus[status] : all).slice(-limit).reverse()
  return {
    add: (fields) => {
      const pet = makePet(first + BigInt(all.length), fields)
      byId.set(pet.id, pet)
      all.push(pet)
      byStatus[pet.status].push(pet)
      lists.clear()
      return pet
    },
    get: (id) => byId.get(id),
    list: (status, limit) => {
      const query = `${status} ${limit}`
      const list = lists.get(query) ?? makeList(status, limit)
      lists.set(query, list)
      return list
    },
    close: () => {},
  }
}

/**
 * What got a 201 has to survive, so each pet is on the disk before its response is sent
 * (`synchronous = FULL`); the write-ahead log makes that one append and one sync.
 */
const schema = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    categoryId INTEGER NOT NULL,
    status TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS petsByStatus ON pets (status, id);
`

/** The file is locked as long as the store is open: two services on it are a mistake. */
export const sqliteStore = (path: string, first = firstId): Store => {
  // Loaded when used: Node 22 warns that it is experimental.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(path)
  database.exec(schema)
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
  const newest = prepare('SELECT max(id) AS id FROM pets')
  const insert = prepare('INSERT INTO pets VALUES (?, ?, ?, ?, ?)')
  const byId = prepare('SELECT * FROM pets WHERE id = ?')
  const all = prepare('SELECT * FROM pets ORDER BY id DESC LIMIT ?')
  const byStatus = prepare('SELECT * FROM pets WHERE status = ? ORDER BY id DESC LIMIT ?')
  return {
    add: (fields) => {
      const id = newest.get()?.id
      const pet = makePet(typeof id === 'bigint' ? id + 1n : first, fields)
      insert.run(pet.id, pet.name, pet.categoryId, pet.status, pet.json)
      return pet
    },
    get: (id) => {
      const row = byId.get(id)
      return row && readRow(row)
    },
    list: (status, limit) => (status ? byStatus.all(status, limit) : all.all(limit)).map(readRow),
    close: () => database.close(),
  }
}

/** The table is strict, and only `insert` writes to it. */
const readRow = (row: object) => row as Pet
