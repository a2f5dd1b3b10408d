import { z } from 'zod';
import { ApiError, invalidArgument, overLimit } from './api-error.ts';
import type { ContactRecord } from './contact-book.ts';
import { groupEtag } from './etags.ts';
import { type GroupClientData, type GroupRecord, isAddable } from './group-book.ts';
import { existingGroup, type GroupField, groupMask, groupView, membersByGroup } from './group-reads.ts';
import { readBody, readMask } from './request.ts';
import { type ApiRequest, noteApiWrite, type World } from './world.ts';

const maximumMembersModified = 1000;
const defaultAnswerFields: readonly GroupField[] = ['metadata', 'groupType', 'name'];
const updatableGroupFields = ['clientData', 'name'] as const;

const text = z.string().optional();

const groupSchema = z.strictObject({
  resourceName: text,
  etag: text,
  name: text,
  formattedName: text,
  groupType: text,
  memberCount: z.int().optional(),
  memberResourceNames: z.array(z.string()).optional(),
  metadata: z.strictObject({ updateTime: text, deleted: z.boolean().optional() }).optional(),
  clientData: z.array(z.strictObject({ key: text, value: text })).optional(),
});

const createSchema = z.strictObject({ contactGroup: groupSchema.optional(), readGroupFields: text });

const updateSchema = z.strictObject({
  contactGroup: groupSchema.optional(),
  updateGroupFields: text,
  readGroupFields: text,
});

const names = z.array(z.string()).optional();
const modifySchema = z.strictObject({ resourceNamesToAdd: names, resourceNamesToRemove: names });

export function createGroup({ body }: ApiRequest, world: World): object {
  const { contactGroup, readGroupFields } = readBody(createSchema, body, 'request');
  const mask = groupMask(readGroupFields, 'readGroupFields', defaultAnswerFields);
  const name = checkedName(contactGroup?.name, undefined, world);
  const { account } = world;
  const group = account.contactGroups.create(name, clientDataOf(contactGroup?.clientData), account.nextMicros());
  return groupView(group, mask, membersByGroup(account.contacts));
}

/** `PUT /v1/contactGroups/{id}`: a stale etag is a 409, other than for a contact. */
export function updateGroup({ body, pathParts }: ApiRequest, world: World): object {
  const { contactGroup, updateGroupFields, readGroupFields } = readBody(updateSchema, body, 'request');
  const answerMask = groupMask(readGroupFields, 'readGroupFields', defaultAnswerFields);
  const page = 'contactGroups/update';
  const mask = readMask(updateGroupFields, 'updateGroupFields', updatableGroupFields, page) ?? new Set(['name']);
  const group = ownGroup(pathParts, world);
  const { account } = world;
  if (contactGroup?.etag && contactGroup.etag !== groupEtag(group.updatedMicros ?? 0)) {
    throw new ApiError('ABORTED', 'Contact group etag is outdated. Please get the latest contact group.');
  }
  const changes = {
    ...(mask.has('name') && { name: checkedName(contactGroup?.name, group, world) }),
    ...(mask.has('clientData') && { clientData: clientDataOf(contactGroup?.clientData) }),
  };
  const updated = account.contactGroups.update(group, changes, account.nextMicros());
  return groupView(updated, answerMask, membersByGroup(account.contacts));
}

export function deleteGroup({ query, pathParts }: ApiRequest, world: World): object {
  world.account.removeGroup(ownGroup(pathParts, world), query.get('deleteContacts') === 'true');
  return {};
}

/** `POST /v1/contactGroups/{id}/members:modify`: changes that were not possible are listed in a 200. */
export function modifyMembers({ body, pathParts }: ApiRequest, world: World): object {
  const request = readBody(modifySchema, body, 'request');
  const toAdd = [...new Set(request.resourceNamesToAdd ?? [])];
  const toRemove = [...new Set(request.resourceNamesToRemove ?? [])];
  const group = existingGroup(pathParts, world);
  if (toAdd.length + toRemove.length > maximumMembersModified) {
    throw overLimit('resource_names', maximumMembersModified);
  }
  if (toAdd.length > 0 && !isAddable(group)) {
    throw invalidArgument(`Contacts cannot be added to the system contact group ${group.resourceName}.`);
  }
  const updatedMicros = world.account.nextMicros();
  const missing: string[] = [];
  const kept: string[] = [];
  for (const name of [...toAdd, ...toRemove]) {
    const record = world.account.contacts.living(name);
    if (!record) missing.push(name);
    else if (!changeMember(record, group, toAdd.includes(name), updatedMicros, world)) kept.push(name);
  }
  return {
    ...(missing.length > 0 && { notFoundResourceNames: missing }),
    ...(kept.length > 0 && { canNotRemoveLastContactGroupResourceNames: kept }),
  };
}

/** Adds or removes one member. Returns false if that would leave the contact without a group. */
function changeMember(
  record: ContactRecord,
  { resourceName }: GroupRecord,
  add: boolean,
  updatedMicros: number,
  world: World,
): boolean {
  const { groups } = record.state;
  if (groups.includes(resourceName) === add) return true;
  const changed = add ? [...groups, resourceName] : groups.filter((name) => name !== resourceName);
  if (changed.length === 0) return false;
  world.account.changeMembership(record, changed, updatedMicros);
  noteApiWrite(world, record.resourceName);
  return true;
}

function ownGroup(pathParts: readonly string[], world: World): GroupRecord {
  const group = existingGroup(pathParts, world);
  if (group.system) throw invalidArgument('System contact groups cannot be changed.');
  return group;
}

function checkedName(name: string | null | undefined, group: GroupRecord | undefined, world: World): string {
  if (!name) throw invalidArgument('Request must set contact_group.name.');
  const holder = world.account.contactGroups.named(name);
  if (holder && holder.resourceName !== group?.resourceName) {
    throw new ApiError(world.variants.duplicateGroup, 'Contact group name already exists.');
  }
  return name;
}

type WrittenClientData = z.infer<typeof groupSchema>['clientData'];

function clientDataOf(written: WrittenClientData): GroupClientData[] {
  return (written ?? []).map(({ key, value }) => ({ key: key ?? '', value: value ?? '' }));
}
