// The service as a whole: base address, media type, addresses, methods, versions, stability.
import { must, open, should } from '../requirement.ts'

const section = 'What the service does'

export const service = {
  'service.operations': must(
    section,
    'Clients can list pets, add a pet and fetch one by its identifier.',
  ),
  'service.key': must(section, 'Every request needs an API key; without one no request is served.'),
  'service.counted': must(section, 'Requests are counted against a per-plan rate limit.'),
  'service.base-path': must(section, 'The base address includes the version prefix `/v1`.'),
  'service.two-addresses': must(section, 'A production and a staging address exist.', {
    untestable: 'A run has one base URL, which does not show whether another exists.',
  }),
  'service.json': must(section, 'Response bodies are JSON, sent as `application/json`.'),
  'service.coding': should(
    section,
    'A response has no content coding that the request did not accept (RFC 9110, 12.5.3).',
  ),
  'service.json-request': must(
    section,
    'Request bodies are JSON; `application/json` is accepted, with or without a charset.',
  ),
  'service.media-type': open(
    section,
    'The response to POST /pets with another media type, or none.',
  ),
  'service.tag': must(section, 'The operations are grouped under the tag `animals`.'),
  'service.operation-ids': must(
    'Endpoints',
    'The operations have the ids `listPets`, `createPet` and `getPet`.',
  ),
  'service.groups': must(section, 'The groups `Store` and `Pets` hold no endpoints of their own.'),
  'service.no-server-error': must(
    section,
    'No request makes the service fail: no response is 5xx.',
  ),
  'service.no-server-error-elsewhere': should(
    section,
    'A request to an address outside the interface never gets a 5xx other than 501.',
  ),
  'service.nonsense-address': should(
    section,
    'An address that the interface does not name does not get 2xx.',
  ),
  'service.address-spelling': open(
    section,
    'The response to another spelling of a path: slashes, letter case, percent-escapes.',
  ),
  'service.method': must(section, 'A method that a path does not have gets 4xx or 501.'),
  'service.allow': should(section, 'A 405 names the methods of the path in `Allow`.'),
  'service.own-response': must(
    section,
    'A response belongs to its own request, whatever else is in flight or was sent before.',
  ),
  'service.head': open(section, 'The response to HEAD.'),
  'service.options': open(section, 'The response to OPTIONS.'),
  'service.stability': must(
    section,
    'The stability marker `x-stability` of an operation is `experimental` or `beta`.',
  ),
  'service.stability-which': open(section, 'Which operations have `x-stability`.'),

  'version.prefix': must('Versioning 1', 'The version is in the base address as `/v1`.'),
  'version.description': must('Versioning 1', 'The interface description is at version 1.0.0.'),
  'version.other-prefix': open(
    'Versioning 1',
    'The response under another version prefix, to a request without a key.',
  ),
  'version.deprecated-works': must(
    'Versioning 2',
    'A deprecated operation stays available until its removal date, and is gone after it.',
  ),
  'version.stability': must(
    'Versioning 3',
    'Stability markers have the values `experimental` and `beta` and no others.',
  ),

  'events.none': open('Events', 'Events, webhooks and notifications.', {
    untestable: 'The interface names no channel on which an event could arrive.',
  }),
}
