import { z } from 'zod';
import type { Json } from '../../core/contact/record.ts';

const DEEPEST = 20;

/** A deeper nesting is refused, because recursion over it would overflow the stack. */
const isShallow = (value: unknown, depth = 0): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth < DEEPEST && Object.values(value).every((inner) => isShallow(inner, depth + 1)));

/** A value that is kept unread. It is JSON, because it is a result of JSON.parse. */
const carried = z.custom<Json>((value) => value !== undefined && isShallow(value));
const text = z.string().exactOptional();
const flag = z.boolean().exactOptional();

const sourceSchema = z.object({ type: text, id: text, etag: text, updateTime: text });
const fieldMetadata = z.object({ sourcePrimary: flag, source: sourceSchema.exactOptional() }).exactOptional();

/** An entry of a list. Its other keys are kept. */
const entry = z.object({ metadata: fieldMetadata }).catchall(carried);
const valueSchema = entry.extend({ value: text, type: text });
const addressSchema = entry.extend({
  type: text,
  formattedValue: text,
  streetAddress: text,
  extendedAddress: text,
  poBox: text,
  city: text,
  region: text,
  postalCode: text,
  country: text,
});
const membershipSchema = entry.extend({
  contactGroupMembership: z.object({ contactGroupResourceName: text, contactGroupId: text }).exactOptional(),
});
const dateSchema = z.object({
  year: z.number().exactOptional(),
  month: z.number().exactOptional(),
  day: z.number().exactOptional(),
});

/** The minimum of a Person: without it, not even an unreadable one can be identified. */
export const personNameSchema = z.object({ resourceName: z.string().min(1) });

/** The account itself. */
export const profileSchema = personNameSchema.extend({
  emailAddresses: z.array(z.object({ value: z.string().nullish() })).nullish(),
});

/** The keys of a listed Person that are read before it is parsed: its current name and its former names. */
export const listedSchema = personNameSchema.extend({
  metadata: z.object({ previousResourceNames: z.array(z.string()).exactOptional() }).exactOptional(),
});

const clientDataSchema = z.array(z.object({ metadata: fieldMetadata, key: text, value: text }));

/** The part of a Person that contains its origin. */
export const originSchema = z.object({ clientData: clientDataSchema });

const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).exactOptional();

const person = personNameSchema.extend({
  etag: text,
  metadata: z
    .object({
      deleted: flag,
      previousResourceNames: listOf(z.string()),
      sources: listOf(sourceSchema),
    })
    .exactOptional(),
  names: listOf(entry.extend({ givenName: text, familyName: text, unstructuredName: text, displayName: text })),
  organizations: listOf(entry.extend({ name: text, title: text, current: flag })),
  emailAddresses: listOf(valueSchema),
  phoneNumbers: listOf(valueSchema),
  addresses: listOf(addressSchema),
  urls: listOf(valueSchema),
  nicknames: listOf(valueSchema),
  birthdays: listOf(entry.extend({ date: dateSchema.exactOptional(), text })),
  biographies: listOf(entry.extend({ value: text, contentType: text })),
  relations: listOf(entry.extend({ person: text, type: text })),
  imClients: listOf(entry.extend({ username: text, protocol: text })),
  userDefined: listOf(entry.extend({ key: text, value: text })),
  photos: listOf(entry.extend({ url: text, default: flag })),
  memberships: listOf(membershipSchema),
  clientData: clientDataSchema.exactOptional(),
});

/** The part of a Person that the sync uses. Unknown subfields of list entries are kept. Compiled at its first use. */
export const personSchema = z.lazy(() => z.compile(person));

export type Person = z.output<typeof personSchema>;
export type Source = z.output<typeof sourceSchema>;
/** An entry of one of the lists of a Person. */
export type EntryOf<List extends Exclude<keyof Person, 'resourceName' | 'etag' | 'metadata'>> = NonNullable<
  Person[List]
>[number];

/** One page of `people.connections.list`. Each person is parsed separately, so that a malformed one affects no other. */
export const connectionsSchema = z.object({
  connections: z.array(z.unknown()).exactOptional(),
  nextPageToken: text,
  nextSyncToken: text,
  totalItems: z.number().exactOptional(),
  totalPeople: z.number().exactOptional(),
});

const personResponseSchema = z.object({
  requestedResourceName: text,
  person: z.unknown().optional(),
  status: z.object({ code: z.number().default(0), message: text }).exactOptional(),
  httpStatusCode: z.number().exactOptional(),
});
export type PersonResponse = z.output<typeof personResponseSchema>;

export const batchGetSchema = z.object({ responses: z.array(personResponseSchema).default([]) });
export const batchCreateSchema = z.object({ createdPeople: z.array(personResponseSchema).default([]) });
export const batchUpdateSchema = z.object({ updateResult: z.record(z.string(), personResponseSchema).default({}) });

export const groupSchema = z.object({
  resourceName: z.string().min(1),
  etag: z.string().default(''),
  name: z.string().default(''),
  groupType: text,
});
export const groupListSchema = z.object({ contactGroups: z.array(groupSchema).exactOptional(), nextPageToken: text });
export const modifyMembersSchema = z.object({
  notFoundResourceNames: z.array(z.string()).default([]),
  canNotRemoveLastContactGroupResourceNames: z.array(z.string()).default([]),
});

/** The answer to a delete. Any other answer, such as a web page of a proxy, does not show that the delete was applied. */
export const deletedSchema = z.union([z.object({}), z.literal('')]);

/** Any answer. */
export const anyAnswerSchema = z.unknown();
