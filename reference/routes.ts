// Which operation a method and a path name.

export const basePath = '/v1'

export type OperationId = 'listPets' | 'createPet' | 'getPet'

export type Route =
  | { operation: OperationId; petId: string }
  | { operation?: undefined; missing: 'address' }
  | { operation?: undefined; missing: 'method'; allow: string }

export type FindRoute = (method: string, path: string) => Route

const pets = `${basePath}/pets`

/** HEAD and OPTIONS are methods like any other that the interface does not have. */
export const findRoute: FindRoute = (method, path) => {
  if (path === pets) {
    if (method === 'GET') return { operation: 'listPets', petId: '' }
    if (method === 'POST') return { operation: 'createPet', petId: '' }
    return { missing: 'method', allow: 'GET, POST' }
  }
  if (!path.startsWith(`${pets}/`)) return { missing: 'address' }
  const petId = path.slice(pets.length + 1)
  if (petId === '' || petId.includes('/')) return { missing: 'address' }
  return method === 'GET' ? { operation: 'getPet', petId } : { missing: 'method', allow: 'GET' }
}
