/** Parts of the JSON documents that several commands print. */
import { z } from 'zod';
import { FURTHER, USUAL_FIELDS } from '../../src/core/contact/contact.ts';
import { EXTRAS } from '../../src/core/contact/fields.ts';
import { PROVIDER_NAMES, USUAL_PROVIDERS } from '../../src/providers/names.ts';

/** The sides of a link without names are called like their providers, and the keys of a document are made of these names. */
export const { left, right } = USUAL_PROVIDERS;

export const leftId = `${left}Id` as const;
export const rightId = `${right}Id` as const;
export const side = z.enum(PROVIDER_NAMES);
/** The same kind of value for each side. */
export const perSide = <Value extends z.ZodType>(value: Value) => ({ [left]: value, [right]: value });

export const idShapesOf = <Value extends z.ZodType>(value: Value) => ({ [leftId]: value, [rightId]: value });
export const kind = z.enum(['incremental', 'full']);
export const id = z.string().nullable();
export const wholeNumber = z.int().min(0);
/** A custom field is called `custom:` and its name. */
export const field = z.union([
  z.enum([...USUAL_FIELDS, ...FURTHER, ...Object.keys(EXTRAS)]),
  z.string().startsWith('custom:'),
]);

const changesOf = <Field extends z.ZodType>(of: Field) =>
  z.array(z.strictObject({ field: of, from: z.string(), to: z.string(), why: z.string().min(1) }));

export const contactAction = z.strictObject({
  side,
  action: z.enum(['create', 'update', 'delete', 'pair', 'unlink', 'ask']),
  [leftId]: z.string().startsWith('people/').nullable(),
  [rightId]: id,
  fields: z.array(field),
  name: z.string().nullable(),
  changes: changesOf(field),
  why: z.string().min(1),
});

export const groupAction = z.strictObject({
  side,
  action: z.enum(['create-group', 'rename-group', 'delete-group']),
  name: z.string(),
  changes: changesOf(z.literal('name')),
  why: z.string().min(1),
});

export const time = z.iso.datetime();
const written = {
  at: time,
  run: z.string().min(1),
  write: wholeNumber.describe('Its number in the journal: `undo RUN --write NUMBER` reverts it alone.'),
  kind: z.enum(['incremental', 'full', 'undo']).nullable(),
  id: z.string(),
  state: z.enum(['intended', 'done', 'failed', 'abandoned']),
  error: z.string().nullable(),
};

export const writes = z.array(
  z.union([
    contactAction.extend({ ...written, action: z.enum(['create', 'update', 'membership', 'delete']) }),
    groupAction.extend({ ...written, action: z.literal('delete-group') }),
  ]),
);
