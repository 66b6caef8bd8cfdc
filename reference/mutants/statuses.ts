// Faults of statuses: what is taken for one, defaults, and how they are shown.
import type { Mutant } from '../mutant.ts'
import { coercing, onAnswer, showing, storing } from './over-animals.ts'

const ofStatus: readonly Mutant[] = (
  [
    [
      'status-unknown-taken',
      'create-status-other-word-400',
      'A status that is none becomes the default.',
      (status) => (status === 'asleep' ? 'available' : status),
    ],
    [
      'status-upper-case-taken',
      'create-status-upper-case-400',
      'The letter case of a status is not looked at.',
      (status) => (typeof status === 'string' ? status.toLowerCase() : status),
    ],
    [
      'status-blank-taken',
      'create-status-blank-400',
      'A blank status counts as none.',
      (status) => (status === '' ? 'available' : status),
    ],
    [
      'status-trimmed',
      'create-status-with-space-400',
      'A status is trimmed before it is looked at.',
      (status) => (typeof status === 'string' ? status.trim() : status),
    ],
  ] satisfies readonly (readonly [string, string, string, (value: unknown) => unknown])[]
).map(([id, caughtBy, fault, change]) => ({
  id,
  breaks: 'new-pet.status.enum',
  caughtBy,
  fault,
  ...coercing('status', change),
}))

const kept: readonly Mutant[] = [
  ...(['available', 'pending', 'sold'] as const).map(
    (status): Mutant => ({
      id: `status-${status}-replaced`,
      breaks: 'new-pet.status.kept',
      caughtBy: `create-status-${status}-kept`,
      fault: `An animal that comes in as ${status} gets another status.`,
      ...storing((pet) =>
        pet.status === status
          ? { ...pet, status: status === 'available' ? 'pending' : 'available' }
          : pet,
      ),
    }),
  ),
  {
    id: 'status-lost-as-first-member',
    breaks: 'create.echo',
    caughtBy: 'create-each-echoed',
    fault: 'A hand-written reader of JSON loses a status that is the first member.',
    handle: (honest) => (request) => {
      if (typeof request.body === 'string') return honest(request)
      const text = request.body.toString('latin1').replace(/^\{"status":"[a-z]+",/, '{')
      return honest({ ...request, body: Buffer.from(text, 'latin1') })
    },
  },
  {
    id: 'status-never-shown',
    breaks: 'new-pet.status.kept',
    caughtBy: 'create-status-sold-kept',
    fault: 'The status is kept, and shown in no answer.',
    ...showing(({ status, ...pet }) => pet),
  },
  {
    id: 'status-missing-in-201',
    breaks: 'create.echo',
    caughtBy: 'create-values-echoed',
    fault: 'The answer to a creation lacks the status.',
    ...onAnswer('createPet', 201, (answer) => ({
      ...answer,
      body: answer.body.replace(/,"status":"[a-z]+"/, ''),
    })),
  },
  {
    id: 'status-required',
    breaks: 'new-pet.status.optional',
    caughtBy: 'create-status-omitted-201',
    fault: 'A creation without a status is refused.',
    ...coercing('status', (status) => status ?? null),
  },
  {
    id: 'status-upper-case-shown',
    breaks: 'pet-status.values',
    caughtBy: 'pet-status-listed',
    fault: 'A status is shown as its constant is named.',
    ...showing((pet) => ({ ...pet, status: String(pet.status).toUpperCase() })),
  },
  {
    id: 'status-null-shown',
    breaks: 'states.values',
    caughtBy: 'pet-state-known',
    fault: 'pending is shown as null.',
    ...showing((pet) => (pet.status === 'pending' ? { ...pet, status: null } : pet)),
  },
]

export const statusMutants: readonly Mutant[] = [...ofStatus, ...kept]
