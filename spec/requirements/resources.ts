// The resources: the fields of NewPet, Pet and Error, and the states of a pet.
import { must, open, should, under } from './requirement.ts'

export const resources = {
  ...under('NewPet, name', {
    'new-pet.name.required': must('POST /pets without `name` gets 400.'),
    'new-pet.name.type': must('A `name` that is not a string gets 400.'),
    'new-pet.name.ordinary': must(
      'A name of 1 to 100 characters, in any script, is accepted and returned unchanged.',
      { ruling: 6 },
    ),
    'new-pet.name.edge-space': should(
      'A name is returned with the spaces at its start and its end.',
      { ruling: 6 },
    ),
    'new-pet.name.extreme': open(
      'Whether empty, blank or very long names, or control characters in names, are accepted.',
      { ruling: 6 },
    ),
    'new-pet.name.extreme-kept': must(
      'An empty, blank or very long name, or one with control characters, is returned unchanged ' +
        'if it is accepted.',
      { ruling: 6 },
    ),
  }),
  ...under('NewPet, categoryId', {
    'new-pet.category.required': must('POST /pets without `categoryId` gets 400.'),
    'new-pet.category.type': must('A `categoryId` that is not an integer gets 400.', { ruling: 7 }),
    'new-pet.category.range': must('A `categoryId` outside int64 gets 400.', { ruling: 7 }),
    'new-pet.category.exact': must(
      'Every int64 `categoryId` is accepted and returned digit for digit.',
      { ruling: 7 },
    ),
    'new-pet.category.spelling': open('Whether `1.0` and `1e2` are accepted as integers.', {
      ruling: 7,
    }),
    'new-pet.category.non-positive': open('Whether a `categoryId` of zero or below is accepted.', {
      ruling: 7,
    }),
  }),
  ...under('NewPet, status', {
    'new-pet.status.optional': must('POST /pets without `status` is accepted.'),
    'new-pet.status.enum': must('A `status` that is not one of the three values gets 400.'),
    'new-pet.status.kept': must('A status that was sent is returned unchanged.', { ruling: 8 }),
    'new-pet.status.null': open('The response to `"status": null` in POST /pets.', { ruling: 8 }),
  }),
  ...under('NewPet', {
    'new-pet.extra': open(
      'Whether POST /pets refuses a body with members that the interface does not name.',
      { ruling: 10 },
    ),
  }),
  ...under('Pet', { 'pet.fields': must('A pet has all the fields of NewPet, with their types.') }),
  ...under('Pet, id', {
    'pet.id.present': must('A pet has an `id`, an int64 integer.'),
    'pet.id.assigned': must('The service assigns the id, and ignores or refuses one in the body.', {
      ruling: 9,
    }),
    'pet.id.sent': open('Whether an `id` in the body of POST /pets is refused or ignored.', {
      ruling: 9,
    }),
    'pet.id.unique': must('No two pets have the same id.', { ruling: 9 }),
  }),
  ...under('Pet', {
    'pet.stays': must('A pet remains as it was created: no operation removes or changes it.', {
      ruling: 12,
    }),
  }),
  ...under('Pets', {
    'pets.array': must('The body of the list response is an array of Pet objects.'),
  }),
  ...under('PetStatus', {
    'pet-status.values': must('A status is `available`, `pending` or `sold`.'),
  }),
  ...under('Error, code', {
    'error.code': must('An Error has a `code`, a string.'),
    'error.code-stable': should('The same error always has the same `code`.'),
  }),
  ...under('Error, message', {
    'error.message': must('An Error has a `message`, a string.'),
    'error.internals': should('A message contains no stack trace, file path or SQL.', {
      ruling: 1,
    }),
  }),
  ...under('Error, status', {
    'error.status': must('The `status` of an Error is the HTTP status code.'),
  }),
  ...under('Gaps, Category resource', {
    'gap.category': open('Whether an unknown `categoryId` is refused.', { ruling: 7 }),
  }),
  ...under('Gaps, Default value of status', {
    'gap.default-status': open('The status of a pet that was created without one.', { ruling: 8 }),
  }),
  ...under('States and transitions', {
    'states.values': must('A pet is in one of the states `available`, `pending`, `sold`.'),
    'states.transitions': open('How a pet changes its state.', {
      untestable: 'No operation of the interface changes a pet.',
    }),
  }),
}
