// Makes the kill table and the order of the first minute anew: `npm run kill-table`. Given ids, or
// `missing`, it makes only the lines of these and those that are missing.
import { writeFileSync } from 'node:fs'
import { makeFirstMinute } from './first-minute.ts'
import {
  computeRecalls,
  type KillLine,
  readKillTable,
  recallText,
  writeKillTable,
} from './kill-table.ts'
import { workThrough } from './pool.ts'
import type { Subject } from './proof.ts'
import { subjects } from './subjects.ts'

const progress = (all: number) => {
  let done = 0
  return ({ id }: { id: string }) => {
    done += 1
    console.log(`${done}/${all} ${id}`)
  }
}

const linesOf = async (wanted: readonly Subject[]): Promise<readonly KillLine[]> =>
  workThrough<KillLine>({ kind: 'line' }, wanted, progress(wanted.length))

const orderFile = new URL('../suites/first-minute.json', import.meta.url)

const makeAll = async (): Promise<readonly KillLine[]> => {
  const lines = await linesOf(subjects)
  const first = await makeFirstMinute(lines, console.log)
  writeFileSync(orderFile, `${JSON.stringify(first, null, 2)}\n`)
  return lines
}

const makeSome = async (ids: readonly string[]): Promise<readonly KillLine[]> => {
  const unknown = ids.filter((id) => id !== 'missing' && subjects.every((each) => each.id !== id))
  if (unknown.length > 0) throw new Error(`no subject is called ${unknown.join(', ')}`)
  const stored = new Map(readKillTable().map((line) => [line.id, line]))
  const wanted = subjects.filter(({ id }) => ids.includes(id) || !stored.has(id))
  for (const line of await linesOf(wanted)) stored.set(line.id, line)
  return subjects.flatMap(({ id }) => stored.get(id) ?? [])
}

const ids = process.argv.slice(2)
const lines = ids.length === 0 ? await makeAll() : await makeSome(ids)
writeKillTable(lines)
console.log(computeRecalls(lines).map(recallText).join('\n'))
