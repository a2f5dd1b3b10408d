import { FIELDS } from './fields.ts';
import type { FieldSpec } from './kinds.ts';

type Registry = typeof FIELDS;
type FieldKind = Registry[keyof Registry]['kind'];
type FieldOfKind<Kind extends FieldKind> = {
  [Field in keyof Registry]: Registry[Field]['kind'] extends Kind ? Field : never;
}[keyof Registry];

/** A field of one text. */
export type ScalarField = FieldOfKind<'text'>;
/** A field of several elements. */
export type ListField = FieldOfKind<'list'>;
/** A field of the canonical contact, by the name that plans and conflicts print. */
export type ContactField = ScalarField | ListField;
/** A contact field, or the contact's membership in buckets. */
export type SyncedField = keyof Registry;

/**
 * The canonical contact: what both sides can express, normalised (see normalise.ts).
 * Plain data; an absent text is the empty string, an absent list is empty.
 */
export type Contact = { readonly [Field in ContactField]: Registry[Field]['empty'] };

const fieldsOfKind = <Kind extends FieldKind>(kind: Kind): readonly FieldOfKind<Kind>[] => {
  const isOfKind = (field: SyncedField): field is FieldOfKind<Kind> => FIELDS[field].kind === kind;
  return (Object.keys(FIELDS) as SyncedField[]).filter(isOfKind);
};

export const SCALAR_FIELDS = fieldsOfKind('text');
export const LIST_FIELDS = fieldsOfKind('list');
export const CONTACT_FIELDS: readonly ContactField[] = [...SCALAR_FIELDS, ...LIST_FIELDS];
export const SYNCED_FIELDS: readonly SyncedField[] = [...CONTACT_FIELDS, ...fieldsOfKind('set')];

/** How the values of each contact field are handled. */
export const CONTACT_SPECS: { readonly [Field in ContactField]: FieldSpec<'text' | 'list', Contact[Field]> } = FIELDS;

const EMPTY: Readonly<Record<string, Contact[ContactField]>> = Object.fromEntries(
  CONTACT_FIELDS.map((field) => [field, FIELDS[field].empty]),
);

/** A contact made field by field, its keys in the canonical order. */
export const makeContact = (make: <Field extends ContactField>(field: Field) => Contact[Field]): Contact => {
  const contact = { ...EMPTY };
  for (const field of CONTACT_FIELDS) contact[field] = make(field);
  return contact as Contact;
};

export const EMPTY_CONTACT: Contact = makeContact((field) => CONTACT_SPECS[field].empty);
