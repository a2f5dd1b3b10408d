import { FIELDS, FURTHER_FIELDS, isExtraField, isNamedField, namedSpec, type NamedField } from './fields.ts';
import type { FieldSpec } from './kinds.ts';

type Registry = typeof FIELDS;
type Further = typeof FURTHER_FIELDS;
type FieldKind = Registry[keyof Registry]['kind'];
type FieldOfKind<Kind extends FieldKind> = {
  [Field in keyof Registry]: Registry[Field]['kind'] extends Kind ? Field : never;
}[keyof Registry];
type FurtherOfKind<Kind extends FieldKind> = {
  [Field in keyof Further]: Further[Field]['kind'] extends Kind ? Field : never;
}[keyof Further];

/** A text field that every contact has. */
type UsualScalar = FieldOfKind<'text'>;
/** A list field that every contact has. */
type UsualList = FieldOfKind<'list'>;
/** A field that every contact has. */
export type UsualField = UsualScalar | UsualList;
/** A field that a contact contains only if it has a value. */
type FurtherField = keyof Further | NamedField;
/** A field with one text. */
export type ScalarField = UsualScalar | FurtherOfKind<'text'> | NamedField;
/** A field with several elements. */
export type ListField = UsualList | FurtherOfKind<'list'>;
/** A field of the canonical contact, by the name that plans and conflicts print. */
export type ContactField = ScalarField | ListField;
/** A contact field, or the contact's membership in buckets. */
export type SyncedField = ContactField | FieldOfKind<'set'>;

type ValueOf<Field extends keyof Further> = Further[Field]['empty'];

/**
 * The canonical contact: the values that both sides can represent, normalised (`contactOf`). Plain data. An absent text is the
 * empty string, an absent list is empty, and a further field without a value is left out.
 */
export type Contact = { readonly [Field in UsualField]: Registry[Field]['empty'] } & {
  readonly [Field in keyof Further]?: ValueOf<Field>;
} & { readonly [Field in NamedField]?: string };

const fieldsOfKind = <Kind extends FieldKind>(kind: Kind): readonly FieldOfKind<Kind>[] => {
  const isOfKind = (field: keyof Registry): field is FieldOfKind<Kind> => FIELDS[field].kind === kind;
  return (Object.keys(FIELDS) as (keyof Registry)[]).filter(isOfKind);
};

export const SCALAR_FIELDS = fieldsOfKind('text');
export const LIST_FIELDS = fieldsOfKind('list');
export const CONTACT_FIELDS: readonly UsualField[] = [...SCALAR_FIELDS, ...LIST_FIELDS];
/** The fields that a link syncs by default. */
export const USUAL_FIELDS: readonly SyncedField[] = [...CONTACT_FIELDS, ...fieldsOfKind('set')];
/** The fields that a link syncs only if it chooses them. Fields with user-defined names follow them. */
export const FURTHER: readonly (keyof Further)[] = Object.keys(FURTHER_FIELDS) as (keyof Further)[];

const isFurther = (name: string): name is keyof Further => Object.hasOwn(FURTHER_FIELDS, name);

const isFurtherField = (name: string): name is FurtherField => isFurther(name) || isNamedField(name);

const USUAL: ReadonlySet<string> = new Set(CONTACT_FIELDS);

const isUsual = (name: string): name is UsualField => USUAL.has(name);

const isContactField = (name: string): name is ContactField => isUsual(name) || isFurtherField(name);

export const isSyncedField = (name: string): name is SyncedField => name === 'buckets' || isContactField(name);

/** The specification of the values of one contact field. */
type ContactSpec<Field extends ContactField> = FieldSpec<'text' | 'list', NonNullable<Contact[Field]>>;

const SPECS: Readonly<Record<string, unknown>> = { ...FIELDS, ...FURTHER_FIELDS };

/** Returns the specification of a contact field. */
export const specOf = <Field extends ContactField>(field: Field): ContactSpec<Field> => {
  const name: string = field;
  const spec = SPECS[name] ?? (isNamedField(name) ? namedSpec(name) : undefined);
  // The registries define the values of each field.
  return spec as ContactSpec<Field>;
};

const isList = (field: ContactField): field is ListField => specOf(field).kind === 'list';

const byRegistry = (one: FurtherField, other: FurtherField): number => {
  const [place, otherPlace] = [one, other].map((field) => (isFurther(field) ? FURTHER.indexOf(field) : FURTHER.length));
  return (place ?? 0) - (otherPlace ?? 0) || (one < other ? -1 : 1);
};

/** Returns fields in the canonical order, each once. */
export const inFieldOrder = (fields: Iterable<SyncedField>): readonly SyncedField[] => {
  const all = new Set(fields);
  const further = [...all].filter(isFurtherField);
  const buckets: readonly SyncedField[] = all.has('buckets') ? ['buckets'] : [];
  return [...CONTACT_FIELDS.filter((field) => all.has(field)), ...further.toSorted(byRegistry), ...buckets];
};

/** Returns the fields in which any of the contacts may have a value, and the membership. */
export const syncedIn = (...contacts: readonly Contact[]): readonly SyncedField[] => {
  const further = furtherIn(...contacts);
  return further.length === 0 ? USUAL_FIELDS : [...CONTACT_FIELDS, ...further, 'buckets'];
};

/** Returns the text fields among the fields. */
export const scalarsOf = (fields: Iterable<SyncedField>): readonly ScalarField[] =>
  [...fields].filter((field): field is ScalarField => field !== 'buckets' && !isList(field));

/** Returns the list fields among the fields. */
export const listsOf = (fields: Iterable<SyncedField>): readonly ListField[] =>
  [...fields].filter((field): field is ListField => field !== 'buckets' && isList(field));

const NONE: readonly FurtherField[] = [];

/** Returns the further fields that any of the contacts contains, in the canonical order. */
export const furtherIn = (...contacts: readonly Partial<Contact>[]): readonly FurtherField[] => {
  let found: Set<FurtherField> | null = null;
  for (const contact of contacts) {
    for (const key in contact) {
      if (!USUAL.has(key) && isFurtherField(key)) (found ??= new Set()).add(key);
    }
  }
  return found === null ? NONE : [...found].toSorted(byRegistry);
};

/** Returns the text fields in which any of the contacts may have a value. */
export const scalarsIn = (...contacts: readonly Contact[]): readonly ScalarField[] => {
  const further = furtherIn(...contacts);
  if (further.length === 0) return SCALAR_FIELDS;
  return [...SCALAR_FIELDS, ...scalarsOf(further)];
};

/** Returns the list fields in which any of the contacts may have a value. */
export const listsIn = (...contacts: readonly Contact[]): readonly ListField[] => {
  const further = furtherIn(...contacts);
  return further.length === 0 ? LIST_FIELDS : [...LIST_FIELDS, ...listsOf(further)];
};

/** Returns the fields in which any of the contacts may have a value. */
export const fieldsIn = (...contacts: readonly Contact[]): readonly ContactField[] => {
  const further = furtherIn(...contacts);
  return further.length === 0 ? CONTACT_FIELDS : [...CONTACT_FIELDS, ...further];
};

/** Returns the value of a field; its empty value if the contact does not have it. */
export const valueIn = <Field extends ContactField>(contact: Contact, field: Field): NonNullable<Contact[Field]> =>
  contact[field] ?? specOf(field).empty;

/** Returns the fields in which a contact has a value. */
export const filledFields = (contact: Contact): readonly ContactField[] =>
  fieldsIn(contact).filter((field) => valueIn(contact, field).length > 0);

/** Returns the text of a contact's field; empty if it has no value. */
export const textIn = (contact: Contact, field: ScalarField): string => contact[field] ?? '';

/** Returns whether a contact is empty. Computed fields do not count. */
export const isEmptyContact = (contact: Contact): boolean =>
  fieldsIn(contact).every((field) => isExtraField(field) || valueIn(contact, field).length === 0);

/** Returns the contact with another value of a field; a further field with an empty value is left out. */
export const withValue = <Field extends ContactField>(
  contact: Contact,
  field: Field,
  value: NonNullable<Contact[Field]>,
): Contact => {
  if (value.length > 0 || isUsual(field)) return { ...contact, [field]: value };
  if (contact[field] === undefined) return contact;
  const { [field]: _, ...rest } = contact;
  // Only a further field was removed.
  return rest as unknown as Contact;
};

const EMPTY: Readonly<Record<string, Contact[UsualField]>> = Object.fromEntries(
  CONTACT_FIELDS.map((field) => [field, FIELDS[field].empty]),
);

/**
 * Creates a contact field by field, with its keys in the canonical order. Of the `further` fields, only those
 * with a value are included.
 */
export const makeContact = (
  make: <Field extends ContactField>(field: Field) => NonNullable<Contact[Field]>,
  further: readonly FurtherField[] = NONE,
): Contact => {
  const contact: Record<string, unknown> = { ...EMPTY };
  for (const field of CONTACT_FIELDS) contact[field] = make(field);
  for (const field of further) {
    const value = make(field);
    if (value.length > 0) contact[field] = value;
  }
  return contact as unknown as Contact;
};

export const EMPTY_CONTACT: Contact = makeContact((field) => specOf(field).empty);
