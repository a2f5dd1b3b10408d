import type { Contact } from '../../core/contact/contact.ts';
import { normaliseText } from '../../core/contact/text.ts';
import { nonEmpty, withTexts, writable, type BodyEntry } from './body-entry.ts';
import { heldEntry, heldField, type EntrySet } from './held-entry.ts';
import { personField, type BoundTo, type ChosenParts, type PersonLists } from './person-field.ts';
import type { OrganizationEntry } from './schema.ts';

/** A department alone is no company: the next organization is held. */
const ENTRIES: EntrySet<OrganizationEntry> = {
  name: 'organizations',
  in: ({ organizations = [] }) => organizations,
  isFilled: ({ name, title }) => normaliseText(name) !== '' || normaliseText(title) !== '',
  isPreferred: ({ current }) => current === true,
};

const writtenOrganizations = (
  person: PersonLists,
  target: Contact,
  chosen: ChosenParts,
  bound: BoundTo,
): readonly BodyEntry[] => {
  const texts = {
    ...(chosen.has('company') && { name: target.company }),
    ...(chosen.has('title') && { title: target.title }),
  };
  const held = heldEntry(ENTRIES, person, chosen.has('company') ? 'company' : 'title', bound);
  const entries = ENTRIES.in(person);
  // Google shows the first organization.
  if (held === undefined) return [...nonEmpty([withTexts({}, texts)]), ...nonEmpty(entries.map(writable))];
  return nonEmpty(entries.map((entry) => (entry === held ? withTexts(writable(entry), texts) : writable(entry))));
};

/** All organizations of a contact, of which company and title hold one. */
const ORGANIZATIONS = personField('organizations', writtenOrganizations);

export const COMPANY = heldField(ORGANIZATIONS, ENTRIES, (entry) => entry?.name ?? '');
export const TITLE = heldField(ORGANIZATIONS, ENTRIES, (entry) => entry?.title ?? '');
