// The matrix: each place where a requirement may be violated alone has a check, or a reason
// why it has none; and the mutants that are confined to one of these places.
import { beforeAll, expect, test } from 'vitest'
import type { AnyCheck } from '../../engine/check/declare.ts'
import type { AnsweredExchange } from '../../engine/check/exchange.ts'
import { mutants } from '../../reference/mutants.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { catalogue } from '../../suites/index.ts'
import { textOf } from '../layout/sources.ts'
import { keyOf, vetReference } from '../vet-reference.ts'
import { cells, cellsOf } from './dimensions.ts'

/** As `rows.yaml` says of each member. */
interface Row {
  readonly name: string
  readonly requirements: readonly string[]
  readonly reaches: readonly string[]
  readonly mutants: Readonly<Record<string, string>>
  /** By reason. */
  readonly left?: Readonly<Record<string, readonly string[]>>
}

const rows = parseYaml(textOf('tests/matrix/rows.yaml')) as readonly Row[]

const leftIn = ({ left = {} }: Row): readonly string[] => Object.values(left).flat()

const keys = (['free', 'free', 'free', 'pro', 'business'] as const).map((plan, at) =>
  keyOf(plan, `${at}`),
)

const isWithin = (row: Row) => (cell: string) =>
  row.reaches.some((reached) => cell === reached || cell.startsWith(`${reached}: `))

/** Cells that the checks of each requirement look at, in one run with all means. */
let lookedAt: ReadonlyMap<string, ReadonlySet<string>>

/** Which check looked at which exchanges: its own, and what it declares that it looks at. */
const lookers = (
  trace: readonly AnsweredExchange[],
  judged: ReadonlyMap<string, readonly AnsweredExchange[]>,
): [string, readonly AnsweredExchange[]][] => {
  const byCheck = Map.groupBy(trace, ({ check }) => check)
  const held = new Map(
    catalogue.flatMap((check) =>
      check.kind === 'check' && check.needs.experiment
        ? [[check.needs.experiment, check.id] as const]
        : [],
    ),
  )
  return catalogue.map((check) => {
    if (check.kind === 'invariant') return [check.requirement, judged.get(check.id) ?? []]
    const { looksAt = [], made } = check.needs
    const ids = [check.id, ...looksAt.flatMap((each) => held.get(each) ?? [])]
    const isMade = ({ apiRequest }: AnsweredExchange) =>
      made === 'creations' && apiRequest.method === 'POST'
    return [
      check.requirement,
      [...ids.flatMap((id) => byCheck.get(id) ?? []), ...trace.filter(isMade)],
    ]
  })
}

beforeAll(async () => {
  const trace = new Set<AnsweredExchange>()
  const judged = new Map<string, AnsweredExchange[]>()
  const watched = catalogue.map((check): AnyCheck => {
    if (check.kind !== 'invariant') return check
    const own: AnsweredExchange[] = []
    judged.set(check.id, own)
    const applies = (exchange: AnsweredExchange) => {
      trace.add(exchange)
      const isJudged = check.applies(exchange)
      if (isJudged) own.push(exchange)
      return isJudged
    }
    return { ...check, applies }
  })
  await vetReference({ keys }, { keys, maxRequests: 20_000 }, watched)
  const places = cellsOf([...trace])
  const found = new Map<string, Set<string>>()
  for (const [requirement, exchanges] of lookers([...trace], judged)) {
    const own = found.get(requirement) ?? new Set()
    found.set(requirement, own)
    for (const exchange of exchanges) for (const cell of places.get(exchange) ?? []) own.add(cell)
  }
  lookedAt = found
})

test.each(rows.map((row) => [row.name, row] as const))(
  'each cell of %s is looked at, or left for a reason',
  (_, row) => {
    const seen = new Set(row.requirements.flatMap((each) => [...(lookedAt.get(each) ?? [])]))
    const empty = cells.filter(isWithin(row)).filter((cell) => !seen.has(cell))
    expect(empty.filter((cell) => !leftIn(row).includes(cell))).toEqual([])
  },
)

test('what the rows name exists, and lies within them', () => {
  const ids = new Set(mutants.map(({ id }) => id))
  const strange = rows.flatMap((row) => [
    ...row.requirements.filter((each) => !lookedAt.has(each)),
    ...Object.values(row.mutants).filter((id) => !ids.has(id)),
    ...[...Object.keys(row.mutants), ...leftIn(row)].filter(
      (cell) => !cells.includes(cell) || !isWithin(row)(cell),
    ),
    ...row.reaches.filter((each) => !cells.some(isWithin({ ...row, reaches: [each] }))),
  ])
  expect(strange).toEqual([])
})

test('in the matrix m has a check and a mutant, c a check, - neither, for a reason', async () => {
  const mark = (row: Row, cell: string) => {
    if (!isWithin(row)(cell)) return ' '
    if (leftIn(row).includes(cell)) return '-'
    return cell in row.mutants ? 'm' : 'c'
  }
  const lineOf = (cell: string) =>
    `${cell.padEnd(32)}${rows.map((row) => ` ${mark(row, cell)}`).join('')}`.trimEnd()
  const heads = rows.map(({ name }, at) => `${' '.repeat(33)}${'| '.repeat(at)}${name}`)
  await expect(`${[...heads, ...cells.map(lineOf)].join('\n')}\n`).toMatchFileSnapshot('matrix.txt')
})
