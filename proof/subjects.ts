// All that the checks are proven on: servers, and published projects, which have their own checks.
import { domainSubjects } from '../domains/faults/mutants.ts'
import type { Subject } from './proof.ts'
import { servers } from './servers.ts'

const projects = domainSubjects.map((project): Subject => {
  const { kind, id, says } = project
  return {
    ...{ kind, id, says, suite: 'domains' },
    caughtBy: project.kind === 'mutant' ? project.caughtBy : null,
    // It takes optional packages.
    judge: async () => (await import('./domains.ts')).judgeProject(project),
  }
})

export const subjects: readonly Subject[] = [...servers, ...projects]
