// The requirements against the document: nothing of the interface is left out.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { judgedWith, type RequirementId, requirement, requirementIds } from './requirements.ts'

const lines = readFileSync(new URL('interface.md', import.meta.url), 'utf8').split('\n')

/** Headings that only hold other headings, rules or gaps. */
const bare = [
  ...['Animal Store Service Interface', 'Resources and their fields', 'Endpoints', 'Limits'],
  ...['Rules', 'Gaps'],
]
const headOf = (cells: string) => /^\| (Field|Name|Status|Plan|Header|---)/.test(cells)

const plain = (text: string) => text.replaceAll('`', '').replace(/\s+/g, ' ').trim()

const headingOf = (title: string) =>
  plain(title)
    .replace(/ \(.*$/, '')
    .replace(/ - deprecated$/, '')

/** What a line under a heading is a place of: a numbered rule, a row of a table, a gap. */
const placeIn = (heading: string, line: string): string | undefined => {
  const rule = /^(\d+)\. /.exec(line)?.[1]
  if (rule !== undefined) return `${heading} ${rule}`
  const row = /^\| ([^|]+) \|/.exec(line)?.[1]
  if (row !== undefined) return headOf(line) ? undefined : `${heading}, ${plain(row)}`
  const gap = heading === 'Gaps' ? /^- ([^:]+):/.exec(line)?.[1] : undefined
  return gap === undefined ? undefined : `Gaps, ${plain(gap)}`
}

/** Each place of the document, headings that hold others aside. */
const placesOf = (text: readonly string[]): string[] => {
  let heading = ''
  return text.flatMap((line) => {
    const title = /^#+ (.+)$/.exec(line)?.[1]
    if (title === undefined) return placeIn(heading, line) ?? []
    heading = headingOf(title)
    return bare.includes(heading) ? [] : [heading]
  })
}

const holders = /^(?:Resources and their fields|Limits|Errors(?=, Gaps)), /
const sections = requirementIds.map((id) => requirement(id).section.replace(holders, ''))
const covers = (place: string) => (section: string) =>
  section === place ||
  section.startsWith(`${place},`) ||
  section.startsWith(`${place} `) ||
  (place.startsWith('Gaps, ') && place.startsWith(section))

test('every heading, table row, numbered rule and gap of the interface has a requirement', () => {
  const places = placesOf(lines)
  expect(places.length).toBeGreaterThan(60)
  expect(places.filter((place) => !sections.some(covers(place)))).toEqual([])
})

/** Every "not shown" of the document, by the words next to it, and its requirement. */
const notShown: Record<string, RequirementId> = {
  'Which operations carry it is not shown': 'service.stability-which',
  'Any endpoint for domain management is not shown': 'publishing.no-operation',
  'Category resource: not shown': 'gap.category',
  'when omitted on creation: not shown': 'gap.default-status',
  'Transitions: not shown': 'states.transitions',
  'any paging metadata): not shown': 'list.paging',
  'scoped or revoked: not shown': 'auth.issuing',
  'webhooks or notifications: not shown': 'events.none',
  'values of the `code` field: not shown': 'gap.code-values',
  'of the 429 response: not shown': 'gap.429-body',
  'the temporary ban: not shown': 'gap.ban-duration',
}

test('each of the eleven places that say "not shown" has its requirement', () => {
  const saying = lines.filter((line) => line.includes('not shown'))
  expect(saying).toHaveLength(11)
  for (const words of Object.keys(notShown)) {
    expect(saying.filter((line) => line.includes(words))).toHaveLength(1)
  }
  for (const id of Object.values(notShown)) expect(requirementIds).toContain(id)
})

test('a requirement is one sentence, without a word that would soften it', () => {
  for (const id of requirementIds) {
    const { says } = requirement(id)
    expect(says).toMatch(/^[`A-Z].*[.]$/)
    expect(says).not.toMatch(/\bshould\b/i)
  }
})

test('a requirement is covered by one of its level that is covered by none', () => {
  const covered = requirementIds.filter((id) => requirement(id).coveredBy !== undefined)
  const judged = requirementIds.flatMap((id) =>
    judgedWith(id)
      .slice(1)
      .map((own) => {
        expect(requirement(own).level).toBe(requirement(id).level)
        expect(covered).not.toContain(id)
        return own
      }),
  )
  expect(judged.sort()).toEqual(covered.sort())
})

test('each ruling on the API is named by a requirement', () => {
  const text = readFileSync(new URL('rulings.md', import.meta.url), 'utf8')
  const rulings = [...text.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
  const named = new Set(requirementIds.map((id) => requirement(id).ruling))
  // A day is as a minute is, and publishing has no operation.
  const others = [22, 28]
  expect(rulings.filter((number) => !named.has(number))).toEqual(others)
  expect([...named].filter((number) => number && !rulings.includes(number))).toEqual([])
})
