import type { Contact } from '../../contact/contact.ts';
import { nonEmpty, withTexts, writable, type BodyEntry } from './body-entry.ts';
import { personField, type ChosenParts, type PersonLists } from './person-field.ts';
import type { OrganizationEntry } from './schema.ts';

/** The organization that company and title stand for: the current one, else the first. */
export const mappedOrganization = ({ organizations = [] }: PersonLists): OrganizationEntry | undefined =>
  organizations.find((organization) => organization.current === true) ?? organizations[0];

const writtenOrganizations = (person: PersonLists, target: Contact, chosen: ChosenParts): readonly BodyEntry[] => {
  const texts = {
    ...(chosen.has('company') && { name: target.company }),
    ...(chosen.has('title') && { title: target.title }),
  };
  const mapped = mappedOrganization(person);
  if (mapped === undefined) return nonEmpty([withTexts({}, texts)]);
  const entries = (person.organizations ?? []).map((entry) => {
    return entry === mapped ? withTexts(writable(entry), texts) : writable(entry);
  });
  return nonEmpty(entries);
};

/** All organizations of a contact, of which one is mapped. */
export const ORGANIZATIONS = personField('organizations', writtenOrganizations);
