// The store that keeps the pets in a file, over restarts.
import type { StatementSync } from 'node:sqlite'
import { firstId, isPetStatus, makePet, type Pet, type Store } from './store.ts'

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

const readRow = ({ id, name, categoryId, status, json }: Record<string, unknown>): Pet => {
  const isPet =
    typeof id === 'bigint' &&
    typeof name === 'string' &&
    typeof categoryId === 'bigint' &&
    isPetStatus(status) &&
    typeof json === 'string'
  if (!isPet) throw new Error('The file holds a row that is no pet.')
  return { id, name, categoryId, status, json }
}
