import type { CreateRequest, UpdateRequest } from '../../core/contact/requests.ts';
import { boundPlaceOf } from '../../core/contact/bound-entries.ts';
import { valueIn, withValue, type ContactField } from '../../core/contact/contact.ts';
import type { BodyEntry, MaskField } from './person-field.ts';
import { mappingOf, USUAL_MAPPING, type PersonMapping } from './fields.ts';
import { originEntry, personOfRecord, wholeContactOf } from './mapper.ts';

/** Returns the writable lists of a Person that contain the given fields, each once. */
export const maskOf = (fields: Iterable<ContactField>): readonly MaskField[] => [
  ...new Set(
    [...fields].map((field) => mappingOf(field).list).flatMap(({ name, isReadOnly }) => (isReadOnly ? [] : [name])),
  ),
];

/** The system group of every contact that is not an "other contact". */
export const MY_CONTACTS = 'contactGroups/myContacts';

/**
 * Returns the Person of a create: the fields of the draft, its groups, and the origin that identifies it if the answer is
 * lost.
 */
export const createBody = (
  { draft, groupIds, originId, originScope }: CreateRequest,
  { chosen, writtenLists }: PersonMapping = USUAL_MAPPING,
): BodyEntry => ({
  ...Object.fromEntries(writtenLists.map(({ name, write }) => [name, write({}, draft, chosen, () => undefined)])),
  memberships: [MY_CONTACTS, ...groupIds].map((id) => ({ contactGroupMembership: { contactGroupResourceName: id } })),
  clientData: [originEntry(originId, originScope)],
});

/**
 * Returns the Person of an update, with the etag that guards it and the complete masked lists. Google replaces a masked
 * list, so every entry that was read is sent back with its unmapped subfields. A masked list that this request does not
 * change is sent as it was read.
 */
export const updateBody = (
  request: UpdateRequest,
  mask: readonly MaskField[],
  mapping: PersonMapping = USUAL_MAPPING,
): BodyEntry => {
  const { chosen, lists: mapped } = mapping;
  const { current, desired, fields } = request;
  const person = personOfRecord(current);
  const target = fields.reduce(
    (to, field) => withValue(to, field, valueIn(desired, field)),
    wholeContactOf(current, mapping),
  );
  const changed = maskOf(fields);
  const bound = (field: ContactField) => boundPlaceOf(current, field);
  const lists = mapped
    .filter(({ name }) => mask.includes(name))
    .map(({ name, write, keep }) => {
      return [name, changed.includes(name) ? write(person, target, chosen, bound) : keep(person)] as const;
    });
  const [source] = person.metadata?.sources ?? [];
  const guard = { type: 'CONTACT', etag: current.version, ...(source?.id === undefined ? {} : { id: source.id }) };
  return { resourceName: current.id, metadata: { sources: [guard] }, ...Object.fromEntries(lists) };
};
