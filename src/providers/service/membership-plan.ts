import type { MembershipRequest } from '../../core/contact/requests.ts';
import { chunks } from '../../util/batches.ts';

/** The maximum number of contacts in one bulk request. The service's own limit is not documented. */
export const BULK_SIZE = 500;
/** The maximum number after a bulk request was refused. */
const CAUTIOUS_BULK_SIZE = 100;

/** Contacts to add to one bucket with the bulk route. */
export type BulkAddition = { readonly bucketId: string; readonly contactIds: readonly string[] };

type Addition = { readonly request: MembershipRequest; readonly bucketIds: readonly string[] };

const additionOf = (request: MembershipRequest): Addition | null => {
  if (request.knownGroupIds === null || request.remove.length > 0) return null;
  const held = new Set(request.knownGroupIds);
  const bucketIds = request.add.filter((id) => !held.has(id));
  return bucketIds.length === 0 ? null : { request, bucketIds };
};

type ByBucket = Map<string, Set<Addition>>;

const groupByBucket = (additions: readonly Addition[]): ByBucket => {
  const byBucket: ByBucket = new Map();
  for (const addition of additions) {
    for (const bucketId of addition.bucketIds) {
      const members = byBucket.get(bucketId) ?? new Set();
      byBucket.set(bucketId, members.add(addition));
    }
  }
  return byBucket;
};

const bulkRequests = (contacts: number): number => Math.ceil(contacts / BULK_SIZE);

/** One request adds a contact to any number of buckets. */
const REQUESTS_PER_SINGLE = 1;

/** Returns the number of requests saved if the contacts of one bucket are written one at a time; negative for a loss. */
const savedBySingles = (byBucket: ByBucket, members: ReadonlySet<Addition>): number => {
  const leaving = new Map<string, number>();
  for (const addition of members) {
    for (const bucketId of addition.bucketIds) leaving.set(bucketId, (leaving.get(bucketId) ?? 0) + 1);
  }
  const bulkSaved = [...leaving].reduce((sum, [bucketId, count]) => {
    const size = byBucket.get(bucketId)?.size ?? 0;
    return sum + bulkRequests(size) - bulkRequests(size - count);
  }, 0);
  return bulkSaved - REQUESTS_PER_SINGLE * members.size;
};

const leaveBulk = (byBucket: ByBucket, members: ReadonlySet<Addition>): void => {
  for (const addition of members) {
    for (const bucketId of addition.bucketIds) {
      const bucket = byBucket.get(bucketId);
      bucket?.delete(addition);
      if (bucket?.size === 0) byBucket.delete(bucketId);
    }
  }
};

/** Returns the contacts of the bucket that saves most, or loses nothing, if written one at a time; null if it does not exist. */
const worstBucket = (byBucket: ByBucket): ReadonlySet<Addition> | null => {
  let worst: ReadonlySet<Addition> | null = null;
  let most = -1;
  for (const members of byBucket.values()) {
    const saved = savedBySingles(byBucket, members);
    if (saved > most) [worst, most] = [members, saved];
  }
  return worst;
};

/**
 * Divides membership changes between the routes of one contact and the bulk route of a bucket, so that few requests are
 * needed (R11). Only contacts with a known membership and without removals may be written in bulk. All of them start there,
 * where a bucket costs one request for each {@link BULK_SIZE} contacts. Then the contacts of the bucket that saves most are
 * moved to one POST each, which covers all buckets of a contact. This is repeated until no bucket saves requests. In a tie,
 * contacts are written one at a time. In the result, `additions` fulfil the requests of `bulk`; those of `single` are
 * written one contact at a time.
 */
export const planMembershipRequests = (batch: readonly MembershipRequest[]) => {
  const byBucket = groupByBucket(batch.map(additionOf).filter((addition) => addition !== null));
  for (let members = worstBucket(byBucket); members !== null; members = worstBucket(byBucket)) {
    leaveBulk(byBucket, members);
  }
  const inBulk = new Set([...byBucket.values()].flatMap((members) => [...members].map((addition) => addition.request)));
  return {
    single: batch.filter((request) => !inBulk.has(request)),
    bulk: batch.filter((request) => inBulk.has(request)),
    additions: [...byBucket].flatMap(([bucketId, members]) => {
      const contactIds = [...members].map(({ request }) => request.id);
      return additionsOf(bucketId, contactIds, BULK_SIZE);
    }),
  };
};

const additionsOf = (bucketId: string, ids: readonly string[], size: number): readonly BulkAddition[] =>
  chunks(ids, size).map((contactIds) => ({ bucketId, contactIds }));

/** Splits a refused addition, because it may have been too large; returns none if it was already small. */
export const splitAddition = ({ bucketId, contactIds }: BulkAddition): readonly BulkAddition[] =>
  contactIds.length <= CAUTIOUS_BULK_SIZE ? [] : additionsOf(bucketId, contactIds, CAUTIOUS_BULK_SIZE);
