// Faults that show only after other requests: pets that are missing, late, or changed.
import { dayMs, hourMs } from '../../limiter.ts'
import { makePet, type Pet, type PetStatus } from '../../store.ts'
import { each, type Variant } from '../../variant.ts'
import { allPets, inStore } from '../../wrappers/pet-store.ts'

/** What happened to a pet before it is read. */
interface History {
  /** 0 for one that was there before the server started. */
  readonly ageMs: number
  /** Whether it was fetched by id, and whether its id was requested before it existed. */
  readonly isFetched: boolean
  readonly isMissed: boolean
  /** How often midnight has passed since the server started. */
  readonly nights: number
  /** The id of the newest pet. */
  readonly newest: bigint
}

/** Shows a pet as it is, changed, or not at all. */
type See = (pet: Pet, history: History) => Pet | undefined

/** Shows pets in another way, where they are fetched by id, where they are listed, or in both. */
const seen = (where: { fetched?: See; listed?: See }, imported: readonly string[] = []): Variant =>
  inStore((store, clock) => {
    for (const name of imported) store.add({ name, categoryId: 1n, status: 'available' })
    const addedMs = new Map<bigint, number>()
    const fetched = new Set<bigint>()
    const missed = new Set<bigint>()
    const day = () => Math.floor(clock.now() / dayMs)
    const startDay = day()
    const lookBack = ({ id }: Pet): History => ({
      ageMs: clock.now() - (addedMs.get(id) ?? clock.now()),
      isFetched: fetched.has(id),
      isMissed: missed.has(id),
      nights: day() - startDay,
      newest: store.list(undefined, 1)[0]?.id ?? 0n,
    })
    const { fetched: fetch, listed } = where
    return {
      added: ({ id }) => addedMs.set(id, clock.now()),
      get: (id) => {
        const pet = store.get(id)
        const shown = pet && fetch ? fetch(pet, lookBack(pet)) : pet
        const known = pet ? fetched : missed
        known.add(id)
        return shown
      },
      ...(listed && {
        list: (status, limit) =>
          store
            .list(undefined, allPets)
            .flatMap((pet) => listed(pet, lookBack(pet)) ?? [])
            .filter((pet) => status === undefined || pet.status === status)
            .slice(0, limit),
      }),
    }
  })

const seenEverywhere = (see: See): Variant => seen({ fetched: see, listed: see })

const notFetched = (isLost: (history: History) => boolean, imported?: readonly string[]): Variant =>
  seen({ fetched: (pet, history) => (isLost(history) ? undefined : pet) }, imported)

const withStatus = (pet: Pet, status: PetStatus): Pet => makePet(pet.id, { ...pet, status })

export const lostMutants = each({
  'every-seventh-write-lost @ list-limit-no-fewer': [
    'Every seventh creation gets 201 and is not stored.',
    seenEverywhere((pet) => (pet.id % 7n === 3n ? undefined : pet)),
    { condition: 'created each 7th time' },
  ],
  'fetched-leaves-lists @ list-limit-no-fewer': [
    'A pet disappears from lists once it was fetched by id.',
    seen({ listed: (pet, { isFetched }) => (isFetched ? undefined : pet) }),
    { condition: 'lacking pets requested before' },
  ],
  'write-after-filtered-list-lost @ get-each-known-200': [
    'A creation right after a filtered list is lost: its transaction is read-only.',
    inStore((store) => {
      let isReading = false
      const lostIds = new Set<bigint>()
      return {
        added: ({ id }) => {
          if (isReading) lostIds.add(id)
          isReading = false
        },
        get: (id) => (lostIds.has(id) ? undefined : store.get(id)),
        list: (status, limit) => {
          isReading = status !== undefined
          return store
            .list(status, allPets)
            .filter(({ id }) => !lostIds.has(id))
            .slice(0, limit)
        },
      }
    }),
  ],
  'oldest-pushed-out @ walk-statuses': [
    'Only the last 60 pets are kept.',
    seenEverywhere((pet, { newest }) => (pet.id > newest - 60n ? pet : undefined)),
    { condition: 'created before at least' },
  ],
  'pending-released-over-night @ list-each-as-created': [
    'A nightly job changes every pet to sold.',
    seenEverywhere((pet, { nights }) => (nights === 0 ? pet : withStatus(pet, 'sold'))),
  ],
  'neighbour-renamed @ list-each-as-created': [
    'A creation also renames the pet before it.',
    seenEverywhere((pet, { newest }) =>
      pet.id === newest ? pet : makePet(pet.id, { ...pet, name: `${pet.name} II` }),
    ),
  ],
  'gone-after-an-hour @ pet-stays': [
    'Pets expire from a cache after an hour.',
    seenEverywhere((pet, { ageMs }) => (ageMs < hourMs ? pet : undefined)),
    { condition: 'created at least' },
  ],
  'created-forgotten-after-an-hour @ pet-stays': [
    'GET /pets/{petId} finds a created pet for an hour; imported pets stay.',
    notFetched(({ ageMs }) => ageMs > hourMs, ['Bello', 'Minka']),
    { condition: 'of a pet created at least' },
  ],
  'reserved-for-a-month @ pet-stays': [
    'A reservation ends after a month: a pending pet is fetched as available from then on.',
    seen({
      fetched: (pet, { ageMs }) =>
        pet.status === 'pending' && ageMs > 30 * dayMs ? withStatus(pet, 'available') : pet,
    }),
  ],
  'get-lags-two-seconds @ get-new-animal-200': [
    'GET /pets/{petId} reads from a replica that is two seconds behind.',
    notFetched(({ ageMs }) => ageMs < 2_000),
  ],
  'first-fetch-404 @ get-each-known-200': [
    'The first GET of a pet by id gets 404: it only fills the cache.',
    notFetched(({ isFetched, isMissed }) => !isFetched && !isMissed),
    { condition: 'of a pet not requested before' },
  ],
  'absence-cached @ get-each-known-200': [
    'A cached 404 for an id is still served after the pet was created.',
    notFetched(({ isMissed }) => isMissed),
    { condition: 'whose id was requested before it existed' },
  ],
  'second-fetch-404 @ get-each-known-200': [
    'A pet gets 404 once it was fetched by id.',
    notFetched(({ isFetched, isMissed }) => isFetched || isMissed),
    { condition: 'of a pet requested before' },
  ],
})
