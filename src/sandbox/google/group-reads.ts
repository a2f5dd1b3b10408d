import { invalidArgument, notFound } from './api-error.ts';
import type { ContactBook } from './contact-book.ts';
import { groupEtag } from './etags.ts';
import { allContactsGroup, type GroupRecord } from './group-book.ts';
import { timestamp } from './person-view.ts';
import { readMask, readSize } from './request.ts';
import type { ApiRequest, World } from './world.ts';

const groupFields = ['clientData', 'groupType', 'memberCount', 'metadata', 'name'] as const;

export type GroupField = (typeof groupFields)[number];

/** Resource names of contacts, by resource name of the group. */
type Members = ReadonlyMap<string, readonly string[]>;

/** Returns the members of every group, in one pass over the contacts. */
export function membersByGroup(contacts: ContactBook): Members {
  const members = new Map<string, string[]>();
  for (const { resourceName, state } of contacts.all()) {
    for (const group of [...state.groups, allContactsGroup]) {
      const list = members.get(group);
      if (list) list.push(resourceName);
      else members.set(group, [resourceName]);
    }
  }
  return members;
}

/** Returns a group in the API's format: system groups have no etag, and a count of zero is omitted. */
export function groupView(
  group: GroupRecord,
  mask: ReadonlySet<GroupField>,
  members: Members,
  maximumMembers = 0,
): object {
  const { resourceName, updatedMicros } = group;
  const own = members.get(resourceName) ?? [];
  const memberResourceNames = own.slice(0, maximumMembers);
  return {
    resourceName,
    ...(updatedMicros !== undefined && { etag: groupEtag(updatedMicros) }),
    ...Object.assign({}, ...groupFields.filter((field) => mask.has(field)).map((field) => valueOf(field, group, own))),
    ...(memberResourceNames.length > 0 && { memberResourceNames }),
  };
}

function valueOf(field: GroupField, group: GroupRecord, members: readonly string[]): object {
  const { name, formattedName, clientData, system, updatedMicros } = group;
  switch (field) {
    case 'clientData':
      return clientData.length > 0 ? { clientData } : {};
    case 'groupType':
      return { groupType: system ? 'SYSTEM_CONTACT_GROUP' : 'USER_CONTACT_GROUP' };
    case 'memberCount':
      return members.length > 0 ? { memberCount: members.length } : {};
    case 'metadata':
      return updatedMicros === undefined ? {} : { metadata: { updateTime: timestamp(updatedMicros) } };
    case 'name':
      return { name, formattedName };
  }
}

const maximumPageSize = 1000;
const defaultPageSize = 30;
const maximumMembers = 100_000;

const defaultGroupFields: readonly GroupField[] = ['metadata', 'groupType', 'memberCount', 'name'];

export function listGroups({ query }: ApiRequest, world: World): object {
  const { account } = world;
  const mask = groupMask(query.get('groupFields'), 'groupFields', defaultGroupFields);
  const pageSize = readSize(query, 'pageSize', maximumPageSize, defaultPageSize);
  const offset = readOffset(query.get('pageToken') ?? '');
  const groups = account.contactGroups.all();
  const members = membersByGroup(account.contacts);
  const page = groups.slice(offset, offset + pageSize).map((group) => groupView(group, mask, members));
  const end = offset + page.length;
  return {
    ...(page.length > 0 && { contactGroups: page }),
    ...(groups.length > 0 && { totalItems: groups.length }),
    ...(end < groups.length && { nextPageToken: Buffer.from(`groups ${end}`).toString('base64url') }),
  };
}

export function getGroup({ query, pathParts }: ApiRequest, world: World): object {
  const mask = groupMask(query.get('groupFields'), 'groupFields', defaultGroupFields);
  const members = readSize(query, 'maxMembers', maximumMembers, 0);
  return groupView(existingGroup(pathParts, world), mask, membersByGroup(world.account.contacts), members);
}

/** Returns the group in the path. Throws the 404 if it does not exist. */
export function existingGroup([id]: readonly string[], { account }: World): GroupRecord {
  const group = account.contactGroups.living(`contactGroups/${id}`);
  if (!group) throw notFound();
  return group;
}

/** Returns the fields of an answer, or the fallback without a mask. Throws the 400 for an unknown field. */
export function groupMask(
  mask: string | null | undefined,
  parameter: string,
  fallback: readonly GroupField[],
): ReadonlySet<GroupField> {
  return readMask(mask, parameter, groupFields, 'contactGroups/list') ?? new Set(fallback);
}

function readOffset(pageToken: string): number {
  if (pageToken === '') return 0;
  const offset = /^groups (\d+)$/.exec(Buffer.from(pageToken, 'base64url').toString())?.[1];
  if (offset === undefined) throw invalidArgument('Page token is invalid.');
  return Number(offset);
}
