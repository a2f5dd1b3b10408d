import { z } from 'zod';
import { CONTACT_FIELDS, type Contact, type ContactField } from './contact.ts';
import type { ElementParts } from './elements.ts';
import { FIELDS } from './fields.ts';

const elementSchema = (parts: ElementParts): z.ZodType => {
  const entries = Object.entries(parts).map(([part, empty]) => {
    return [part, empty === null ? z.string().nullable() : z.string()] as const;
  });
  return z.object(Object.fromEntries(entries));
};

const fieldSchema = (field: ContactField): z.ZodType => {
  const spec = FIELDS[field];
  const value: z.ZodType = spec.kind === 'list' ? z.array(elementSchema(spec.element.empty)) : z.string();
  return value.default(spec.empty);
};

const shape = Object.fromEntries(CONTACT_FIELDS.map((field) => [field, fieldSchema(field)])) as {
  readonly [Field in ContactField]: z.ZodType<Contact[Field]>;
};

/**
 * A contact as it is stored. Data of another set of fields can be read: a field that they lack is empty, one that is not
 * synced any more is ignored.
 */
export const contactSchema = z.object(shape);
