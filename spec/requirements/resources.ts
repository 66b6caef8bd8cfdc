// The resources: the fields of NewPet, Pet and Error, and the states of a pet.
import { must, open, should } from '../requirement.ts'

export const resources = {
  'new-pet.name.required': must('NewPet, name', 'POST /pets without `name` gets 400.'),
  'new-pet.name.type': must('NewPet, name', 'A `name` that is not a string gets 400.'),
  'new-pet.name.ordinary': must(
    'NewPet, name',
    'A name of 1 to 100 characters, in any script, is accepted and returned unchanged.',
  ),
  'new-pet.name.edge-space': should(
    'NewPet, name',
    'A name is returned with the spaces at its start and its end.',
  ),
  'new-pet.name.extreme': open(
    'NewPet, name',
    'Whether empty, blank or very long names, or control characters in names, are accepted.',
  ),
  'new-pet.name.extreme-kept': must(
    'NewPet, name',
    'An empty, blank or very long name, or one with control characters, is returned unchanged if ' +
      'it is accepted.',
  ),
  'new-pet.category.required': must(
    'NewPet, categoryId',
    'POST /pets without `categoryId` gets 400.',
  ),
  'new-pet.category.type': must(
    'NewPet, categoryId',
    'A `categoryId` that is not an integer gets 400.',
  ),
  'new-pet.category.range': must('NewPet, categoryId', 'A `categoryId` outside int64 gets 400.'),
  'new-pet.category.exact': must(
    'NewPet, categoryId',
    'Every int64 `categoryId` is accepted and returned digit for digit.',
  ),
  'new-pet.category.spelling': open(
    'NewPet, categoryId',
    'Whether `1.0` and `1e2` are accepted as integers.',
  ),
  'new-pet.category.non-positive': open(
    'NewPet, categoryId',
    'Whether a `categoryId` of zero or below is accepted.',
  ),
  'new-pet.status.optional': must('NewPet, status', 'POST /pets without `status` is accepted.'),
  'new-pet.status.enum': must(
    'NewPet, status',
    'A `status` that is not one of the three values gets 400.',
  ),
  'new-pet.status.kept': must('NewPet, status', 'A status that was sent is returned unchanged.'),
  'new-pet.status.null': open('NewPet, status', 'The response to `"status": null` in POST /pets.'),
  'new-pet.extra': open(
    'NewPet',
    'Whether POST /pets refuses a body with members that the interface does not name.',
  ),

  'pet.fields': must('Pet', 'A pet has all the fields of NewPet, with their types.'),
  'pet.id.present': must('Pet, id', 'A pet has an `id`, an int64 integer.'),
  'pet.id.assigned': must(
    'Pet, id',
    'The service assigns the id, and ignores or refuses one in the body.',
  ),
  'pet.id.sent': open(
    'Pet, id',
    'Whether an `id` in the body of POST /pets is refused or ignored.',
  ),
  'pet.id.unique': must('Pet, id', 'No two pets have the same id.'),
  'pet.stays': must('Pet', 'A pet remains as it was created: no operation removes or changes it.'),
  'pets.array': must('Pets', 'The body of the list response is an array of Pet objects.'),
  'pet-status.values': must('PetStatus', 'A status is `available`, `pending` or `sold`.'),

  'error.code': must('Error, code', 'An Error has a `code`, a string.'),
  'error.code-stable': should('Error, code', 'The same error always has the same `code`.'),
  'error.message': must('Error, message', 'An Error has a `message`, a string.'),
  'error.internals': should(
    'Error, message',
    'A message contains no stack trace, file path or SQL.',
  ),
  'error.status': must('Error, status', 'The `status` of an Error is the HTTP status code.'),

  'gap.category': open('Gaps, Category resource', 'Whether an unknown `categoryId` is refused.'),
  'gap.default-status': open(
    'Gaps, Default value of status',
    'The status of a pet that was created without one.',
  ),

  'states.values': must(
    'States and transitions',
    'A pet is in one of the states `available`, `pending`, `sold`.',
  ),
  'states.transitions': open('States and transitions', 'How a pet changes its state.', {
    untestable: 'No operation of the interface changes a pet.',
  }),
}
