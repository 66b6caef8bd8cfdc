// A comparison for a terminal.
import { visible } from '../visible.ts'
import { kinds } from './comparison.ts'
import { type Compared, facts, headings, latencyLine, turn, verdictOf } from './words.ts'

const shownMost = 160

const short = (text: string): string => {
  const line = visible(text)
  return line.length <= shownMost ? line : `${line.slice(0, shownMost)}…`
}

/** A heading with its lines, or nothing where there are none. */
const part = (heading: string, each: readonly (readonly string[])[]): string[] =>
  each.length === 0 ? [] : ['', `${heading} (${each.length})`, ...each.flat()]

/** Plain text; the last line is the verdict. */
export const compareText = (compared: Compared): string => {
  const { changes, observations, latency, notes } = compared
  const lines = [
    ...facts(compared).map(([name, value]) => `${name.padEnd(14)} ${visible(value)}`),
    ...latency.map((each) => `${'Latency'.padEnd(14)} ${each.what}: ${latencyLine(each)}`),
    ...notes.map((text) => `${'Note'.padEnd(14)} ${visible(text)}`),
    ...kinds.flatMap((kind) =>
      part(
        headings[kind],
        changes[kind].map((change) => [
          `  ${change.id}  ${turn(change)}, ${change.level}: ${visible(change.requirement)}`,
          ...(kind === 'newlyFailing' || kind === 'newlyWarning'
            ? [`    ${short(change.detail)}`]
            : []),
        ]),
      ),
    ),
    ...part(
      'Observations that changed',
      observations.map(({ id, was, is }) => [`  ${id}: was ${short(was)}, is ${short(is)}`]),
    ),
    '',
    `petvet: ${verdictOf(compared)}`,
  ]
  return `${lines.join('\n')}\n`
}
