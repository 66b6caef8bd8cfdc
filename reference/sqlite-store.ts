// The store that keeps the animals in a file, over restarts.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { firstId, isPetStatus, makePet, type Pet, type Store } from './store.ts'

/** How long one replica waits for another that is writing. */
const busyMs = 5_000

/**
 * What was answered 201 has to survive, so each animal is on the disk before its answer is sent
 * (`synchronous = FULL`); the write-ahead log makes that one append and one sync.
 */
const schema = `
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
export const sqliteStore = (path: string): Store =>
  openStore(new DatabaseSync(path), 'PRAGMA locking_mode = EXCLUSIVE')

/** Several replicas of one service may have the file open. */
export const sharedSqliteStore = (path: string): Store =>
  openStore(new DatabaseSync(path, { timeout: busyMs }), 'PRAGMA locking_mode = NORMAL')

const openStore = (database: DatabaseSync, locking: string): Store => {
  database.exec(locking)
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
    add: (fields) =>
      // Nobody else may take the id between its reading and its writing.
      alone(database, () => {
        const id = newest.get()?.id
        const pet = makePet(typeof id === 'bigint' ? id + 1n : firstId, fields)
        insert.run(pet.id, pet.name, pet.categoryId, pet.status, pet.json)
        return pet
      }),
    get: (id) => {
      const row = byId.get(id)
      return row && readRow(row)
    },
    list: (status, limit) => (status ? byStatus.all(status, limit) : all.all(limit)).map(readRow),
    close: () => database.close(),
  }
}

const alone = <T>(database: DatabaseSync, write: () => T): T => {
  database.exec('BEGIN IMMEDIATE')
  try {
    const written = write()
    database.exec('COMMIT')
    return written
  } catch (fault) {
    // What was too full or too busy may have ended the transaction by itself.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw fault
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
