// The store that keeps the animals in a file, over restarts.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { firstId, isPetStatus, makePet, type Pet, type Store } from './store.ts'

/**
 * What was answered 201 has to survive, so each animal is on the disk before its answer is sent
 * (`synchronous = FULL`); the write-ahead log makes that one append and one sync. The lock is
 * exclusive, because two servers on one file would give out the same ids.
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

export const sqliteStore = (path: string): Store => {
  const database = new DatabaseSync(path)
  database.exec(schema)
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
  const newest = prepare('SELECT max(id) AS id FROM pets').get()?.id
  let nextId = typeof newest === 'bigint' ? newest + 1n : firstId
  const insert = prepare('INSERT INTO pets VALUES (?, ?, ?, ?, ?)')
  const byId = prepare('SELECT * FROM pets WHERE id = ?')
  const all = prepare('SELECT * FROM pets ORDER BY id DESC LIMIT ?')
  const byStatus = prepare('SELECT * FROM pets WHERE status = ? ORDER BY id DESC LIMIT ?')
  return {
    add: (fields) => {
      const pet = makePet(nextId, fields)
      insert.run(pet.id, pet.name, pet.categoryId, pet.status, pet.json)
      nextId++
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
  const sound =
    typeof id === 'bigint' &&
    typeof name === 'string' &&
    typeof categoryId === 'bigint' &&
    isPetStatus(status) &&
    typeof json === 'string'
  if (!sound) throw new Error('The file holds a row that is no animal.')
  return { id, name, categoryId, status, json }
}
