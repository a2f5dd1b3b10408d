import type { MembershipRequest } from '../../core/contact/requests.ts';
import { chunks } from '../../util/batches.ts';
import { InvalidError, isCredentialError, leftOpen, NotFoundError, RemoteError, UnreadableError } from '../errors.ts';
import { answered } from '../failure.ts';
import { membershipAfter } from '../groups.ts';
import type { WriteResult } from '../remote.ts';
import { MY_CONTACTS } from './mapper.ts';
import type { CallGoogle } from './send.ts';
import { MEMBERS_PER_REQUEST } from './limits.ts';
import { readContacts } from './read.ts';
import { modifyMembersSchema } from './schema.ts';

type Change = { readonly key: string; readonly id: string; readonly kind: 'add' | 'remove' };
type Errors = Map<string, RemoteError>;
type MembershipResult = WriteResult<readonly string[]>;

const ROUTE = 'POST /v1/contactGroups/{group}/members:modify';

/** Changes memberships, at most 1000 changes of one group per request. Returns the user groups of each contact afterwards. */
export const changeMembership = async (
  call: CallGoogle,
  batch: readonly MembershipRequest[],
): Promise<readonly MembershipResult[]> => {
  const errors: Errors = new Map();
  const before = await membershipsBefore(call, batch, errors);
  const possible = batch.filter(({ key }) => before.has(key));
  const begun = new Set<string>();
  const unsent = new Set<string>();
  let refused: RemoteError | null = null;
  for (const [groupId, changes] of requestsFor(possible)) {
    if (refused === null) refused = await modify(call, groupId, changes, { errors, begun });
    else for (const { key } of changes) unsent.add(key);
  }
  return batch.flatMap((request): MembershipResult[] => {
    const { key } = request;
    const error = errors.get(key);
    if (error !== undefined)
      // Recovery finds the part that was applied, and the next plan contains the rest (R9).
      return [{ key, ok: false, error: begun.has(key) && error.applied === 'no' ? leftOpen(error) : error }];
    if (unsent.has(key)) return [];
    return [{ key, ok: true, value: membershipAfter(before.get(key) ?? [], request) }];
  });
};

/** Returns the user groups of each contact as it was last known, because a read may return an earlier state (R11). */
const membershipsBefore = async (
  call: CallGoogle,
  batch: readonly MembershipRequest[],
  errors: Errors,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const before = new Map(
    batch.flatMap(({ key, knownGroupIds, lastGroupIds }) => {
      const ids = knownGroupIds ?? lastGroupIds;
      return ids === undefined ? [] : [[key, ids] as const];
    }),
  );
  const unknown = batch.filter(({ key }) => !before.has(key));
  if (unknown.length === 0) return before;
  try {
    const ids = unknown.map(({ id }) => id);
    const answers = await readContacts(call, ids);
    for (const { key, id } of unknown) {
      const answer = answers.get(id);
      if (answer?.kind === 'found') before.set(key, answer.record.groupIds);
      else errors.set(key, answer?.kind === 'unreadable' ? unreadable() : notFound());
    }
  } catch (error) {
    if (!(error instanceof RemoteError) || isCredentialError(error)) throw error;
    for (const { key } of unknown) errors.set(key, error);
  }
  return before;
};

const requestsFor = (batch: readonly MembershipRequest[]): readonly (readonly [string, readonly Change[]])[] => {
  const changes = batch.flatMap(({ key, id, add, remove }) => [
    ...add.map((groupId) => ({ groupId, key, id, kind: 'add' as const })),
    ...remove.map((groupId) => ({ groupId, key, id, kind: 'remove' as const })),
  ]);
  return [...Map.groupBy(changes, ({ groupId }) => groupId)].flatMap(([groupId, all]) =>
    chunks(all, MEMBERS_PER_REQUEST).map((part) => [groupId, part] as const),
  );
};

/** Sends the changes of one request. Returns the error if the credential was refused, null for any other outcome. */
const modify = async (
  call: CallGoogle,
  groupId: string,
  changes: readonly Change[],
  { errors, begun }: { readonly errors: Errors; readonly begun: Set<string> },
): Promise<RemoteError | null> => {
  try {
    const answer = await sendChanges(call, groupId, changes);
    const kept = new Set(answer.canNotRemoveLastContactGroupResourceNames);
    const stuck = changes.filter(({ kind, id }) => kind === 'remove' && kept.has(id));
    const missing = new Set(answer.notFoundResourceNames);
    const failed = new Map(await leaveLastGroup(call, groupId, stuck));
    for (const { key, id } of changes) {
      if (missing.has(id)) failed.set(key, notFound());
      if (!failed.has(key)) begun.add(key);
    }
    for (const [key, error] of failed) errors.set(key, error);
    return [...failed.values()].find(isCredentialError) ?? null;
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    for (const { key, kind } of changes) {
      // A deleted group has no members: a removal is done, an addition is impossible.
      if (!(error instanceof NotFoundError)) errors.set(key, error);
      else if (kind === 'add') errors.set(key, groupGone(error));
    }
    return isCredentialError(error) ? error : null;
  }
};

/** Removes contacts from their last group. Returns the errors of these alone, by key: the other changes are done. */
const leaveLastGroup = async (
  call: CallGoogle,
  groupId: string,
  stuck: readonly Change[],
): Promise<ReadonlyMap<string, RemoteError>> => {
  try {
    if (stuck.length > 0) await removeFromLastGroup(call, groupId, stuck);
    return new Map();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return new Map(error instanceof NotFoundError ? [] : stuck.map(({ key }) => [key, error]));
  }
};

/** A contact must keep one group (contactGroups reference). It is added to My Contacts first, then removed from the group. */
const removeFromLastGroup = async (call: CallGoogle, groupId: string, stuck: readonly Change[]): Promise<void> => {
  const additions = stuck.map((change) => ({ ...change, kind: 'add' as const }));
  await sendChanges(call, MY_CONTACTS, additions);
  const answer = await sendChanges(call, groupId, stuck);
  if (answer.canNotRemoveLastContactGroupResourceNames.length === 0) return;
  throw new InvalidError('Google keeps the contact in its last group', ABOUT);
};

const sendChanges = (call: CallGoogle, groupId: string, changes: readonly Change[]) => {
  const idsOf = (kind: Change['kind']): string[] =>
    changes.filter((change) => change.kind === kind).map(({ id }) => id);
  const requestBody = { resourceNamesToAdd: idsOf('add'), resourceNamesToRemove: idsOf('remove') };
  return call(ROUTE, modifyMembersSchema, (people, options) =>
    people.contactGroups.members.modify({ resourceName: groupId, requestBody }, options),
  );
};

const ABOUT = answered(ROUTE);

const notFound = (): NotFoundError => new NotFoundError('Google knows no such contact', ABOUT);

const unreadable = (): UnreadableError =>
  new UnreadableError('The contact could not be read, so its groups are unknown', ABOUT);

const groupGone = (cause: RemoteError): InvalidError =>
  new InvalidError('The Google contact group is gone', { ...ABOUT, status: cause.status, cause });
