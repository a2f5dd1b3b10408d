import { invalidArgument, notFound } from './api-error.ts';
import type { ContactBook } from './contact-book.ts';
import { groupEtag } from './etags.ts';
import { allContactsGroup, type GroupRecord } from './group-book.ts';
import { timestamp } from './person-view.ts';
import { readSize } from './request.ts';
import type { ApiRequest, World } from './world.ts';

/** Every readable field of a group. */
export const groupFields = ['clientData', 'groupType', 'memberCount', 'metadata', 'name'] as const;

/** A readable field of a group. */
export type GroupField = (typeof groupFields)[number];

/** The members of every group: resource names of contacts, by resource name of the group. */
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

/** `GET /v1/contactGroups` */
export function listGroups({ query }: ApiRequest, world: World): object {
  const { account } = world;
  const mask = readGroupMask(query.get('groupFields'), 'groupFields', groupFields, defaultGroupFields);
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

/** `GET /v1/contactGroups/{id}` */
export function getGroup({ query, pathParts }: ApiRequest, world: World): object {
  const mask = readGroupMask(query.get('groupFields'), 'groupFields', groupFields, defaultGroupFields);
  const members = readSize(query, 'maxMembers', maximumMembers, 0);
  return groupView(existingGroup(pathParts, world), mask, membersByGroup(world.account.contacts), members);
}

/** Returns the group in the path. Throws the 404 if it does not exist. */
export function existingGroup([id]: readonly string[], { account }: World): GroupRecord {
  const group = account.contactGroups.living(`contactGroups/${id}`);
  if (!group) throw notFound();
  return group;
}

/** Returns the fields in a group mask, or the fallback if it is empty. Throws the 400 for an unknown field. */
export function readGroupMask<Field extends GroupField>(
  mask: string | null | undefined,
  parameter: string,
  valid: readonly Field[],
  fallback: readonly Field[],
): ReadonlySet<Field> {
  const paths = (mask ?? '').split(',').map((path) => path.trim());
  const fields = paths
    .filter((path) => path !== '')
    .map((path) => {
      const field = valid.find((name) => name === path);
      if (!field) throw invalidArgument(`Invalid ${parameter} mask path: "${path}".`);
      return field;
    });
  return new Set(fields.length > 0 ? fields : fallback);
}

function readOffset(pageToken: string): number {
  if (pageToken === '') return 0;
  const offset = /^groups (\d+)$/.exec(Buffer.from(pageToken, 'base64url').toString())?.[1];
  if (offset === undefined) throw invalidArgument('Page token is invalid.');
  return Number(offset);
}
