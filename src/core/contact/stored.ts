import { z } from 'zod';
import {
  CONTACT_FIELDS,
  FURTHER,
  isSyncedField as isField,
  specOf,
  type Contact,
  type SyncedField,
  type UsualField,
} from './contact.ts';
import { hasKeys, type ElementParts } from './elements.ts';
import { FIELDS, FURTHER_FIELDS, isNamedField } from './fields.ts';

type StoredElement = { readonly empty: ElementParts; readonly optional: readonly string[] };

const elementSchema = ({ empty, optional }: StoredElement): z.ZodType => {
  const parts = Object.entries(empty).map(([part, text]) => {
    return [part, text === null ? z.string().nullable() : z.string()] as const;
  });
  const others = optional.map((part) => [part, z.string().exactOptional()] as const);
  return z.object(Object.fromEntries([...parts, ...others]));
};

type Spec = (typeof FIELDS)[UsualField] | (typeof FURTHER_FIELDS)[(typeof FURTHER)[number]];

const valueSchema = (spec: Spec): z.ZodType =>
  spec.kind === 'list' ? z.array(elementSchema(spec.element)) : z.string();

const usual = Object.fromEntries(
  CONTACT_FIELDS.map((field) => [field, valueSchema(FIELDS[field]).default(specOf(field).empty)]),
) as unknown as { readonly [Field in UsualField]: z.ZodType<Contact[Field]> };

const further = Object.fromEntries(FURTHER.map((field) => [field, valueSchema(FURTHER_FIELDS[field]).exactOptional()]));

const furtherSchema = z.object(further);

/** Returns the contact with its fields that are defined now; unknown fields are dropped. */
const known = (stored: Readonly<Record<string, unknown>>): Contact => {
  const contact: Record<string, unknown> = Object.fromEntries(CONTACT_FIELDS.map((field) => [field, stored[field]]));
  const named = Object.entries(stored).filter(([name, value]) => isNamedField(name) && typeof value === 'string');
  return Object.assign(contact, furtherSchema.parse(stored), Object.fromEntries(named)) as unknown as Contact;
};

/**
 * The schema of a stored contact. It accepts data with another field set: a missing field is empty, and a field that is no
 * longer synced is ignored.
 */
export const storedContactSchema = z
  .looseObject(usual)
  .transform((stored): Contact => (hasKeys(stored, CONTACT_FIELDS) ? (stored as unknown as Contact) : known(stored)));

/** The name of a field that a link may sync. */
export const fieldSchema = z.custom<SyncedField>((name) => typeof name === 'string' && isField(name));
