// The pet in the body of a creation, and the same body with another member.
import { isDeepStrictEqual } from 'node:util'
import { type ApiRequest, memoized } from '../history/exchange.ts'
import { type JsonObject, parseObject, printJson } from '../history/json.ts'

export const petIn = memoized(({ body }: ApiRequest): JsonObject | undefined =>
  typeof body === 'string' ? parseObject(body) : undefined,
)

/** The members in their usual order, without space. */
export const writtenPlainly = (request: ApiRequest): ApiRequest => {
  const pet = petIn(request) ?? {}
  const members = ['name', 'categoryId', 'status'].filter((each) => each in pet)
  const known = Object.fromEntries(members.map((each) => [each, pet[each] ?? null]))
  return { ...request, body: printJson({ ...known, ...pet }) }
}

const scalar = String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s,{}[\]"]+)`

/** Changes a member, or leaves it out, in its place; else all is written again. */
export const withMember = (request: ApiRequest, member: string, value?: JsonObject[string]) => {
  const lead = String.raw`"${RegExp.escape(member)}"\s*:\s*`
  const { [member]: _, ...others } = petIn(request) ?? {}
  const changed = { ...others, ...(value !== undefined && { [member]: value }) }
  const body = `${request.body}`.replace(
    value === undefined
      ? new RegExp(`,\\s*${lead}${scalar}|${lead}${scalar}\\s*,\\s*`)
      : new RegExp(`(?<=${lead})${scalar}`),
    () => (value === undefined ? '' : printJson(value)),
  )
  const isChanged = isDeepStrictEqual(parseObject(body), changed)
  return isChanged ? { ...request, body } : writtenPlainly({ ...request, body: printJson(changed) })
}
