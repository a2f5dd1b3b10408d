import type { GroupRecord } from '../../core/contact/record.ts';
import { textKey } from '../../core/contact/text.ts';
import { NameTakenError, NotFoundError, RevokedError, WrongAddressError } from '../errors.ts';
import { allRows } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import { bucketDetails, groupOf } from './mapper.ts';

/** All buckets. */
export const listGroups = async (api: ServiceApi, signal: AbortSignal): Promise<readonly GroupRecord[]> => {
  const buckets = await allRows(api.buckets.list({ order: ['id'] }, signal));
  const byId = new Map(buckets.map((bucket) => [bucket.id, groupOf(bucket)]));
  return [...byId.values()];
};

/**
 * Whether a failure says that this one bucket is gone or out of reach. A 403, or a web page that says 404, says so where the
 * buckets can still be listed and this one is not among them: lists and single buckets take the same scopes (API.md, Bucket
 * routes). Throws what the list throws.
 */
const isGone = async (api: ServiceApi, id: string, error: unknown, signal: AbortSignal): Promise<boolean> => {
  if (error instanceof NotFoundError) return true;
  if (!(error instanceof RevokedError) && !(error instanceof WrongAddressError)) return false;
  return !(await listGroups(api, signal)).some((group) => group.id === id);
};

/** One bucket, or null where it is gone. */
export const readGroup = async (api: ServiceApi, id: string, signal: AbortSignal): Promise<GroupRecord | null> => {
  try {
    return groupOf(await api.buckets.get(id, signal));
  } catch (error) {
    if (await isGone(api, id, error, signal)) return null;
    throw error;
  }
};

/** Creates a bucket, or adopts the one that has the name where the service says that it is taken. */
export const createGroup = async (
  api: ServiceApi,
  name: string,
  signal: AbortSignal,
  details?: string,
): Promise<GroupRecord> => {
  try {
    return groupOf(await api.buckets.create({ name, ...bucketDetails(details) }, signal));
  } catch (error) {
    if (!(error instanceof NameTakenError)) throw error;
    const groups = await listGroups(api, signal);
    const namesake = groups.find((group) => textKey(group.name) === textKey(name));
    if (namesake === undefined) throw error;
    return namesake;
  }
};

export const renameGroup = async (
  api: ServiceApi,
  id: string,
  name: string,
  signal: AbortSignal,
): Promise<GroupRecord> => {
  try {
    return groupOf(await api.buckets.update(id, { name }, signal));
  } catch (error) {
    const isRefused = error instanceof RevokedError || error instanceof WrongAddressError;
    if (!isRefused || !(await isGone(api, id, error, signal))) throw error;
    const { status, route, applied } = error;
    throw new NotFoundError('the bucket is gone or out of reach', { status, route, applied, cause: error });
  }
};

/** Deletes a bucket and none of its contacts; one already gone counts as deleted. */
export const deleteGroup = async (api: ServiceApi, id: string, signal: AbortSignal): Promise<void> => {
  try {
    await api.buckets.delete(id, signal);
  } catch (error) {
    if (!(await isGone(api, id, error, signal))) throw error;
  }
};
