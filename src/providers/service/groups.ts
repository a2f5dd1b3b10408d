import type { GroupRecord } from '../../core/contact/record.ts';
import { NotFoundError, RevokedError, WrongAddressError } from '../errors.ts';
import { createOrAdopt } from '../groups.ts';
import { allRows } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import { bucketDetails, groupOf } from './mapper.ts';

const listBuckets = (api: ServiceApi) => allRows(api.buckets.list({ order: ['id'] }));

/** Returns all buckets. One without a name is left out: if it is linked, a read of it fails, and it counts as unread (R7, R15). */
export const listGroups = async (api: ServiceApi): Promise<readonly GroupRecord[]> => {
  const named = (await listBuckets(api)).flatMap(({ name, ...bucket }) => (name === null ? [] : [{ ...bucket, name }]));
  return [...new Map(named.map((bucket) => [bucket.id, groupOf(bucket)])).values()];
};

/**
 * Returns whether a failure means that this bucket is deleted or inaccessible. A 403, or a web page with 404, has this
 * meaning if the buckets can still be listed and this one is not among them: the list and single buckets require the same
 * scopes (API.md, Bucket routes). Throws the errors of that listing.
 */
const isGone = async (api: ServiceApi, id: string, error: unknown): Promise<boolean> => {
  if (error instanceof NotFoundError) return true;
  if (!(error instanceof RevokedError) && !(error instanceof WrongAddressError)) return false;
  return !(await listBuckets(api)).some((bucket) => bucket.id === id);
};

/** Returns one bucket, or null if it does not exist. */
export const readGroup = async (api: ServiceApi, id: string): Promise<GroupRecord | null> => {
  try {
    return groupOf(await api.buckets.get(id));
  } catch (error) {
    if (await isGone(api, id, error)) return null;
    throw error;
  }
};

/** Creates a bucket. If the service reports that the name is taken, adopts the bucket of that name. */
export const createGroup = (api: ServiceApi, name: string, details?: string): Promise<GroupRecord> =>
  createOrAdopt(
    name,
    async () => groupOf(await api.buckets.create({ name, ...bucketDetails(details) })),
    () => listGroups(api),
  );

export const renameGroup = async (api: ServiceApi, id: string, name: string): Promise<GroupRecord> => {
  try {
    return groupOf(await api.buckets.update(id, { name }));
  } catch (error) {
    const isRefused = error instanceof RevokedError || error instanceof WrongAddressError;
    if (!isRefused || !(await isGone(api, id, error))) throw error;
    const { status, route, applied } = error;
    throw new NotFoundError('the bucket is gone or out of reach', { status, route, applied, cause: error });
  }
};

/** Deletes a bucket and none of its contacts; a bucket that does not exist counts as deleted. */
export const deleteGroup = async (api: ServiceApi, id: string): Promise<void> => {
  try {
    await api.buckets.delete(id);
  } catch (error) {
    if (!(await isGone(api, id, error))) throw error;
  }
};
