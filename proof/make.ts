// Writes the fault dictionary and the order of the first minute anew, in some twenty minutes:
// `npm run dictionary`.
import { writeFileSync } from 'node:fs'
import { mutants } from '../reference/mutants.ts'
import { makeFirstMinute } from './first-minute.ts'
import { findEntries } from './signatures.ts'

// The dictionary has what runs in this order find.
const first = await makeFirstMinute(console.log)
writeFileSync(
  new URL('../suites/first-minute.json', import.meta.url),
  `${JSON.stringify(first, null, 2)}\n`,
)

const file = new URL('../causes/dictionary.json', import.meta.url)
let done = 0
const entries = await findEntries(
  mutants.map(({ id }) => id),
  ({ id }) => {
    done += 1
    console.log(`${done}/${mutants.length} ${id}`)
  },
)
// One line per entry, so that a change shows which mutant it is about.
writeFileSync(file, `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`)
