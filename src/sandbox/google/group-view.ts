import type { ContactBook } from './contact-book.ts';
import { groupEtag } from './etags.ts';
import { allContactsGroup, type GroupRecord } from './group-book.ts';
import { timestamp } from './person-view.ts';

/** Every readable field of a group. */
export const groupFields = ['clientData', 'groupType', 'memberCount', 'metadata', 'name'] as const;

/** A readable field of a group. */
export type GroupField = (typeof groupFields)[number];

/** Members of every group: resource names of contacts by resource name of the group. */
export type Members = ReadonlyMap<string, readonly string[]>;

/** Who belongs to which group, found in one pass over the contacts. */
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

/** A group as the API answers with it: no etag on system groups, a count of zero left out. */
export function groupView(
  group: GroupRecord,
  mask: ReadonlySet<GroupField>,
  members: Members,
  maximumMembers = 0,
): object {
  const { resourceName, updatedMicros } = group;
  if (group.deleted) return { resourceName, metadata: { deleted: true } };
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
