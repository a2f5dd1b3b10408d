import type { ContactFields } from './contact-book.ts';
import { readFields, singletonFields, type ContactField, type FieldItem, type PersonField } from './person-schema.ts';

/** Fields of which a merged contact has one value. */
const single: ReadonlySet<PersonField> = new Set([...singletonFields, 'photos']);

/** The fields of a merged contact: the first contact's single values, and the list values of all, each once. */
export function mergedFields(contacts: readonly ContactFields[]): ContactFields {
  const merged: [ContactField, FieldItem[]][] = [];
  for (const field of readFields) {
    if (field === 'metadata' || field === 'memberships') continue;
    const values = contacts.flatMap((contact) => contact[field] ?? []);
    if (values.length === 0) continue;
    merged.push([field, single.has(field) ? values.slice(0, 1) : withoutRepeats(values)]);
  }
  return Object.fromEntries(merged);
}

function withoutRepeats(values: readonly FieldItem[]): FieldItem[] {
  const byContent = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byContent.values()];
}
