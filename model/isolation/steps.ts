// What comes right before requests that fail, and before none that passes: of any request, or on
// its connection.
import { type Exchange, statusCode } from '../../history/exchange.ts'
import { alikeIn, isTogether, kindOf, mayBeDue, passes } from '../conditions.ts'
import { read } from '../read.ts'

/** Fewer are chance. */
const minOfStep = 5

/** So many of the requests after a step pass after others. */
const minElsewhere = 2

/** For each request with a key the steps since the last one of its operation. */
const stepsIn = (trace: readonly Exchange[]): ReadonlyMap<Exchange, ReadonlySet<string>> => {
  const since = new Map<string, Set<string>>()
  const steps = new Map<Exchange, ReadonlySet<string>>()
  for (const one of trace) {
    const { name, operation } = read(one)
    // What is refused for its quota changes nothing.
    if (operation === undefined || one.key === null || statusCode(one) === 429) continue
    steps.set(one, since.get(name) ?? new Set())
    since.delete(name)
    const step = `a ${name} (${statusCode(one)})`
    for (const before of isDue(one) ? since.values() : []) before.add(step)
    since.set(name, new Set())
  }
  return steps
}

/** A request that may leave something on its connection: its body, where it is refused. */
const wordsOf = (one: Exchange): string => {
  const { name, key } = read(one)
  const { method, body } = one.apiRequest
  const without = [
    ...(key === 'valid' ? [] : ['without a valid key']),
    ...(method === 'POST' && !body ? ['without a body'] : []),
  ]
  return `a ${name}${without.map((each) => ` ${each}`).join(' and')} (${statusCode(one)})`
}

const isKept = (one: Exchange): boolean =>
  one.apiRequest.fresh !== true && one.response?.opened !== true && !isTogether(one)

/** The steps of one run. */
export class Steps {
  readonly #trace: readonly Exchange[]
  readonly #alikeTo: (one: Exchange) => readonly Exchange[]
  #before: ReturnType<typeof stepsIn> | undefined
  readonly #byKind = new Map<string, ReadonlySet<string>>()
  /** By what came right before them on a connection all that came so. */
  #following: ReturnType<typeof followingIn> | undefined

  constructor(trace: readonly Exchange[]) {
    this.#trace = trace
    this.#alikeTo = alikeIn(trace)
  }

  /** What came right before it, as before many that fail likewise, and none that passes. */
  before(one: Exchange): string | undefined {
    this.#before ??= stepsIn(this.#trace)
    const kind = kindOf(one)
    const known = this.#byKind.get(kind) ?? this.#ofKind(kind, this.#before)
    this.#byKind.set(kind, known)
    const step = this.#before.get(one)?.intersection(known).values().next().value
    return step ?? this.#onConnection(one)
  }

  /** Steps before many that fail so and before none of their operation that passes, also later. */
  #ofKind(kind: string, before: ReadonlyMap<Exchange, ReadonlySet<string>>): ReadonlySet<string> {
    const all = this.#trace.filter((one) => before.has(one))
    const failing = all.filter((one) => kindOf(one) === kind && !passes(one))
    const [first] = failing
    const isOwn = (one: Exchange) => first && read(one).name === read(first).name && passes(one)
    const passing = this.#trace.filter(isOwn)
    const after = passing.filter(({ seq }) => seq > (first?.seq ?? 0))
    if (failing.length < minOfStep || after.length < minOfStep) return new Set()
    const harmless = new Set(passing.flatMap((one) => [...(before.get(one) ?? [])]))
    const steps = failing.flatMap((one) => [...(before.get(one) ?? [])])
    const isOften = (step: string) => steps.filter((each) => each === step).length >= minOfStep
    return new Set(steps.filter((step) => !harmless.has(step) && isOften(step)))
  }

  /** After which step a connection gives each request this status, which elsewhere passes. */
  #onConnection(one: Exchange): string | undefined {
    if (mayBeDue(one)) return undefined
    this.#following ??= followingIn(this.#trace)
    const { steps, kept } = this.#following
    const [step] =
      steps.find(([, own]) => {
        // What is in flight with others may have any connection that was used before.
        const isOwn = isTogether(one) ? own.some(({ seq }) => seq < one.seq) : own.includes(one)
        const isOfAll = own.every((each) => statusCode(each) === statusCode(one))
        if (!isOwn || !isOfAll || own.length < minOfStep) return false
        // It is not that they are sent right after any other one that passes.
        const isElsewhere = (each: Exchange) => this.#passingLike(each).some((two) => kept.has(two))
        return own.filter(isElsewhere).length >= minElsewhere
      }) ?? []
    return step && this.#passingLike(one).length > 0 ? `${step} on its connection` : undefined
  }

  /** What is read alike and passes with another status. */
  #passingLike(one: Exchange): readonly Exchange[] {
    return this.#alikeTo(one).filter(
      (other) => statusCode(other) !== statusCode(one) && isDue(other),
    )
  }
}

/** What fails itself may do so for the same reason. */
const isDue = (one: Exchange): boolean => passes(one) || mayBeDue(one)

/** @returns by step what followed it, and all that followed any */
const followingIn = (trace: readonly Exchange[]) => {
  const following = new Map<string, Exchange[]>()
  let last: Exchange | undefined
  for (const one of trace) {
    if (one.apiRequest.fresh) continue
    // Of what was in flight with others it is not known which connection it had.
    if (last && isDue(last) && isKept(one) && one.sentMs >= last.receivedMs) {
      const step = wordsOf(last)
      following.set(step, [...(following.get(step) ?? []), one])
    }
    last = isTogether(one) ? undefined : one
  }
  const steps = [...following]
  return { steps, kept: new Set(steps.flatMap(([, own]) => own)) }
}
