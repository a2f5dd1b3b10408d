import { z } from 'zod';
import { personSchema } from './person-schema.ts';

/** Returns the schema of a message in an answer: each field may be missing. */
function message<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).partial();
}

const text = z.string();
const count = z.int();
const people = z.array(personSchema);
const status = message({ code: count, message: text, details: z.array(z.record(text, z.unknown())) });

const personResponse = message({ httpStatusCode: count, person: personSchema, requestedResourceName: text, status });

const contactGroup = message({
  resourceName: text,
  etag: text,
  metadata: message({ updateTime: text, deleted: z.boolean() }),
  groupType: text,
  name: text,
  formattedName: text,
  memberResourceNames: z.array(text),
  memberCount: count,
  clientData: z.array(message({ key: text, value: text })),
});

const contactGroupResponse = message({ requestedResourceName: text, status, contactGroup });

/** The answers of the methods, by the names of the API's own messages. */
export const answers = {
  Empty: message({}),
  Person: personSchema,
  ContactGroup: contactGroup,
  ListConnectionsResponse: message({
    connections: people,
    nextPageToken: text,
    nextSyncToken: text,
    totalItems: count,
    totalPeople: count,
  }),
  GetPeopleResponse: message({ responses: z.array(personResponse) }),
  SearchResponse: message({ results: z.array(message({ person: personSchema })) }),
  ListOtherContactsResponse: message({
    otherContacts: people,
    nextPageToken: text,
    nextSyncToken: text,
    totalSize: count,
  }),
  ListDirectoryPeopleResponse: message({ people, nextPageToken: text, nextSyncToken: text }),
  SearchDirectoryPeopleResponse: message({ people, nextPageToken: text, totalSize: count }),
  UpdateContactPhotoResponse: message({ person: personSchema }),
  DeleteContactPhotoResponse: message({ person: personSchema }),
  BatchCreateContactsResponse: message({ createdPeople: z.array(personResponse) }),
  BatchUpdateContactsResponse: message({ updateResult: z.record(text, personResponse) }),
  ListContactGroupsResponse: message({
    contactGroups: z.array(contactGroup),
    nextPageToken: text,
    nextSyncToken: text,
    totalItems: count,
  }),
  BatchGetContactGroupsResponse: message({ responses: z.array(contactGroupResponse) }),
  ModifyContactGroupMembersResponse: message({
    notFoundResourceNames: z.array(text),
    canNotRemoveLastContactGroupResourceNames: z.array(text),
  }),
} as const;
