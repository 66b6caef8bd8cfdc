// The resources: the fields of NewPet, Pet and Error, the states, and the gaps.
import { must, open, should } from '../sentence.ts'

export const resources = {
  'new-pet.name.required': must('NewPet, name', 'A creation without `name` gets 400.'),
  'new-pet.name.type': must('NewPet, name', 'A `name` that is not a string gets 400.'),
  'new-pet.name.ordinary': must(
    'NewPet, name',
    'A name of 1 to 100 characters of any script is accepted and returned unchanged.',
  ),
  'new-pet.name.edge-space': should('NewPet, name', 'Spaces at the ends of a name are kept.'),
  'new-pet.name.extreme': open(
    'NewPet, name',
    'Whether empty, blank, very long names, and names with control characters, are accepted.',
  ),
  'new-pet.name.extreme-kept': must(
    'NewPet, name',
    'An extreme name that was accepted is returned unchanged.',
  ),
  'new-pet.category.required': must(
    'NewPet, categoryId',
    'A creation without `categoryId` gets 400.',
  ),
  'new-pet.category.type': must(
    'NewPet, categoryId',
    'A `categoryId` that is not an integer gets 400.',
  ),
  'new-pet.category.range': must('NewPet, categoryId', 'A `categoryId` outside int64 gets 400.'),
  'new-pet.category.exact': must(
    'NewPet, categoryId',
    'Every int64 category is taken and returned digit for digit.',
  ),
  'new-pet.category.spelling': open('NewPet, categoryId', 'Whether `1.0` and `1e2` are integers.'),
  'new-pet.category.non-positive': open(
    'NewPet, categoryId',
    'Whether zero and negative categories are accepted.',
  ),
  'new-pet.status.optional': must('NewPet, status', 'A creation without `status` is accepted.'),
  'new-pet.status.enum': must(
    'NewPet, status',
    'A `status` that is none of the three values gets 400.',
  ),
  'new-pet.status.kept': must('NewPet, status', 'A status that was given is returned as given.'),
  'new-pet.status.null': open('NewPet, status', 'The response to `"status": null` in a creation.'),
  'new-pet.extra': open('NewPet', 'Whether members the table does not name are refused.'),

  'pet.fields': must('Pet', 'A pet has all the fields of NewPet, with their types.'),
  'pet.id.present': must('Pet, id', 'A pet has an `id`, an int64 integer.'),
  'pet.id.assigned': must(
    'Pet, id',
    'The service assigns the id; one in the body is not honoured.',
  ),
  'pet.id.sent': open('Pet, id', 'Whether an `id` in the body of a creation is refused.'),
  'pet.id.unique': must('Pet, id', 'No two pets have the same id.'),
  'pet.stays': must('Pet', 'A pet stays as it was created: nothing removes or changes it.'),
  'pets.array': must('Pets', 'The body of the list response is an array of Pet objects.'),
  'pet-status.values': must('PetStatus', 'A status is `available`, `pending` or `sold`.'),

  'error.code': must('Error, code', 'An Error has a `code`, a string.'),
  'error.code-stable': should('Error, code', 'The same fault always gets the same `code`.'),
  'error.message': must('Error, message', 'An Error has a `message`, a string.'),
  'error.internals': should(
    'Error, message',
    'A message shows no stack trace, no file path and no SQL.',
  ),
  'error.status': must('Error, status', 'The `status` of an Error is the HTTP status code.'),

  'gap.category': open('Gaps, Category resource', 'Whether an unknown category is refused.'),
  'gap.default-status': open('Gaps, Default value of status', 'The status when none was given.'),

  'states.values': must(
    'States and transitions',
    'A pet is in one of the states `available`, `pending`, `sold`.',
  ),
  'states.transitions': open('States and transitions', 'How a pet changes its state.', {
    untestable: 'No operation of the interface changes a pet.',
  }),
}
