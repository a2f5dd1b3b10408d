import { invalidArgument, notFound } from './api-error.ts';
import type { GroupRecord } from './group-book.ts';
import { groupFields, groupView, membersByGroup, type GroupField } from './group-view.ts';
import { readGroupSyncToken, writeGroupSyncToken } from './group-sync-token.ts';
import { readSize } from './read-parameters.ts';
import { overLimit } from './refusals.ts';
import { expiredSyncToken, isExpired } from './sync-tokens.ts';
import type { ApiRequest, World } from './world.ts';

const maximumPageSize = 1000;
const defaultPageSize = 30;
const maximumBatchGet = 200;
const maximumMembers = 100_000;

const defaultGroupFields: readonly GroupField[] = ['metadata', 'groupType', 'memberCount', 'name'];

/** `GET /v1/contactGroups`: the sync token is on every page. */
export function listGroups({ query }: ApiRequest, world: World): object {
  const { account } = world;
  const mask = readGroupMask(query.get('groupFields'), 'groupFields', groupFields, defaultGroupFields);
  const pageSize = readSize(query, 'pageSize', maximumPageSize, defaultPageSize);
  const offset = readOffset(query.get('pageToken') ?? '');
  const groups = listedGroups(query.get('syncToken') ?? '', world);
  const members = membersByGroup(account.contacts);
  const page = groups.slice(offset, offset + pageSize).map((group) => groupView(group, mask, members));
  const end = offset + page.length;
  return {
    ...(page.length > 0 && { contactGroups: page }),
    ...(groups.length > 0 && { totalItems: groups.length }),
    ...(end < groups.length && { nextPageToken: Buffer.from(`groups ${end}`).toString('base64url') }),
    nextSyncToken: writeGroupSyncToken(account.nextMicros()),
  };
}

/** `GET /v1/contactGroups/{id}` */
export function getGroup({ query, pathParts }: ApiRequest, world: World): object {
  const mask = readGroupMask(query.get('groupFields'), 'groupFields', groupFields, defaultGroupFields);
  const members = readSize(query, 'maxMembers', maximumMembers, 0);
  return groupView(existingGroup(pathParts, world), mask, membersByGroup(world.account.contacts), members);
}

/** `GET /v1/contactGroups:batchGet` */
export function batchGetGroups({ query }: ApiRequest, world: World): object {
  const mask = readGroupMask(query.get('groupFields'), 'groupFields', groupFields, defaultGroupFields);
  const names = query.getAll('resourceNames');
  if (names.length === 0) throw invalidArgument('Request must set resource_names.');
  if (names.length > maximumBatchGet) throw overLimit('resource_names', maximumBatchGet, world.variants);
  const shown = readSize(query, 'maxMembers', maximumMembers, 0);
  const members = membersByGroup(world.account.contacts);
  const responses = names.map((requestedResourceName) => {
    const group = world.account.contactGroups.living(requestedResourceName);
    if (!group) return { requestedResourceName, status: notFound().rpcStatus };
    return { requestedResourceName, contactGroup: groupView(group, mask, members, shown), status: {} };
  });
  return { responses };
}

/** The group that the path names, or the 404. */
export function existingGroup([id]: readonly string[], { account }: World): GroupRecord {
  const group = account.contactGroups.living(`contactGroups/${id}`);
  if (!group) throw notFound();
  return group;
}

/** The fields in a group mask, or the fallback when it is empty; throws the 400 for an unknown one. */
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

function listedGroups(syncToken: string, world: World): GroupRecord[] {
  const { account, variants } = world;
  if (syncToken === '') return account.contactGroups.all();
  const since = readGroupSyncToken(syncToken);
  const dead = variants.groupSyncTokens === 'sevenDays' && isExpired(since / 1000, account.now());
  if (dead || since < world.groupSyncTokensFromMicros) throw expiredSyncToken(variants);
  return account.contactGroups.changedAfter(since);
}
