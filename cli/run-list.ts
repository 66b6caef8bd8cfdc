// The work of `petvet list`: every sentence of the interface, and its checks.
import { requirement, requirementIds } from '../spec/requirements.ts'
import { catalogue } from '../suites/index.ts'

export const runList = async ({ json }: { json: boolean | undefined }): Promise<number> => {
  const all = requirementIds.map((id) => ({
    id,
    ...requirement(id),
    checks: catalogue.filter((question) => question.requirement === id).map((each) => each.id),
  }))
  process.stdout.write(
    json ? `${JSON.stringify(all, null, 2)}\n` : `${all.map(tellSentence).join('\n')}\n`,
  )
  return 0
}

interface Listed {
  readonly id: string
  readonly level: string
  readonly says: string
  readonly untestable?: string
  readonly planned?: string
  readonly shows?: string
  readonly checks: readonly string[]
}

const tellSentence = ({ id, level, says, untestable, planned, shows, checks }: Listed): string => {
  const reason = untestable ?? planned ?? (shows && 'petvet domains asks about it')
  return [
    `${id} (${level})`,
    `  ${says}`,
    ...checks.map((check) => `    ${check}`),
    ...(checks.length === 0 && reason ? [`    no check: ${reason}`] : []),
  ].join('\n')
}
