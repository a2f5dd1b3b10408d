import { z } from 'zod';

const text = z.exactOptional(z.nullable(z.string()));
const flag = z.exactOptional(z.nullable(z.boolean()));
const number = (minimum: number, maximum: number) => z.exactOptional(z.nullable(z.int().min(minimum).max(maximum)));
const names = z.exactOptional(z.nullable(z.array(z.string())));

const date = z.exactOptional(z.strictObject({ year: number(0, 9999), month: number(0, 12), day: number(0, 31) }));

const source = z.strictObject({
  type: text,
  id: text,
  etag: text,
  updateTime: text,
  profileMetadata: z.exactOptional(z.strictObject({ objectType: text, userTypes: names })),
});

const fieldMetadata = z.exactOptional(
  z.strictObject({ primary: flag, source: z.exactOptional(source), sourcePrimary: flag, verified: flag }),
);

const personMetadata = z.exactOptional(
  z.strictObject({
    sources: z.exactOptional(z.array(source)),
    previousResourceNames: names,
    linkedPeopleResourceNames: names,
    deleted: flag,
    objectType: text,
  }),
);

function listOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.exactOptional(z.array(z.strictObject({ ...shape, metadata: fieldMetadata })));
}

const valueOnly = { value: text };
const typedValue = { value: text, type: text, formattedType: text };
const keyAndValue = { key: text, value: text };

/**
 * A Person in a request: every field of the resource, including output-only ones, because clients send them back. It is
 * strict, because Google's JSON parser refuses unknown names. As in proto3 JSON, null means absent. Keys that have no null in
 * the client library's types have none here either.
 */
export const personSchema = z.strictObject({
  resourceName: text,
  etag: text,
  metadata: personMetadata,
  names: listOf({
    displayName: text,
    displayNameLastFirst: text,
    unstructuredName: text,
    familyName: text,
    givenName: text,
    middleName: text,
    honorificPrefix: text,
    honorificSuffix: text,
    phoneticFullName: text,
    phoneticFamilyName: text,
    phoneticGivenName: text,
    phoneticMiddleName: text,
    phoneticHonorificPrefix: text,
    phoneticHonorificSuffix: text,
  }),
  nicknames: listOf({ value: text, type: text }),
  photos: listOf({ url: text, default: flag }),
  birthdays: listOf({ date, text }),
  addresses: listOf({
    formattedValue: text,
    type: text,
    formattedType: text,
    poBox: text,
    streetAddress: text,
    extendedAddress: text,
    city: text,
    region: text,
    postalCode: text,
    country: text,
    countryCode: text,
  }),
  emailAddresses: listOf({ ...typedValue, displayName: text }),
  phoneNumbers: listOf({ ...typedValue, canonicalForm: text }),
  biographies: listOf({ value: text, contentType: text }),
  urls: listOf(typedValue),
  organizations: listOf({
    type: text,
    formattedType: text,
    startDate: date,
    endDate: date,
    current: flag,
    name: text,
    phoneticName: text,
    department: text,
    title: text,
    jobDescription: text,
    symbol: text,
    domain: text,
    location: text,
    costCenter: text,
    fullTimeEquivalentMillipercent: number(0, 100_000),
  }),
  memberships: listOf({
    contactGroupMembership: z.exactOptional(z.strictObject({ contactGroupId: text, contactGroupResourceName: text })),
    domainMembership: z.exactOptional(z.strictObject({ inViewerDomain: flag })),
  }),
  events: listOf({ date, type: text, formattedType: text }),
  imClients: listOf({ username: text, type: text, formattedType: text, protocol: text, formattedProtocol: text }),
  relations: listOf({ person: text, type: text, formattedType: text }),
  userDefined: listOf(keyAndValue),
  sipAddresses: listOf(typedValue),
  ageRanges: listOf({ ageRange: text }),
  calendarUrls: listOf({ url: text, type: text, formattedType: text }),
  clientData: listOf(keyAndValue),
  coverPhotos: listOf({ url: text, default: flag }),
  externalIds: listOf(typedValue),
  fileAses: listOf(valueOnly),
  genders: listOf({ value: text, formattedValue: text, addressMeAs: text }),
  interests: listOf(valueOnly),
  locales: listOf(valueOnly),
  locations: listOf({
    value: text,
    type: text,
    current: flag,
    buildingId: text,
    floor: text,
    floorSection: text,
    deskCode: text,
  }),
  miscKeywords: listOf(typedValue),
  occupations: listOf(valueOnly),
  skills: listOf(valueOnly),
});

export type Person = z.infer<typeof personSchema>;

/** A field of a person with a list of values. */
export type PersonField = Exclude<keyof Person, 'resourceName' | 'etag' | 'metadata'>;

/** The valid names in `personFields` and `readMask`. */
export type ReadField = PersonField | 'metadata';

/** Fields with values of the contact itself. Memberships are stored separately as group names. */
export type ContactField = Exclude<PersonField, 'memberships'>;

/** One value of a field, without its metadata. */
export type FieldItem = Readonly<Record<string, unknown>>;

const namesAndEtag: ReadonlySet<string> = new Set(['resourceName', 'etag']);

/** Every readable field, in the order of answers. */
export const readFields: readonly ReadField[] = Object.keys(personSchema.shape).filter(
  (field): field is ReadField => !namesAndEtag.has(field),
);

const readOnlyFields: ReadonlySet<ReadField> = new Set(['metadata', 'photos', 'coverPhotos', 'ageRanges', 'skills']);

/** Every field that `updatePersonFields` and `updateMask` may contain. */
export const updatableFields: readonly PersonField[] = readFields.filter(
  (field): field is PersonField => field !== 'metadata' && !readOnlyFields.has(field),
);

/** Fields with at most one value in a contact source. */
export const singletonFields: ReadonlySet<PersonField> = new Set(['biographies', 'birthdays', 'genders', 'names']);
