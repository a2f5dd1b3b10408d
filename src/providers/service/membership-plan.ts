import type { MembershipRequest } from '../../core/contact/requests.ts';
import { chunks } from '../../util/batches.ts';

/** The maximum number of contacts in one bulk request. The service's own limit is not documented. */
export const BULK_SIZE = 500;
/** The maximum number after a bulk request was refused. */
const CAUTIOUS_BULK_SIZE = 100;

/** Contacts to add to one bucket with the bulk route. */
export type BulkAddition = { readonly bucketId: string; readonly contactIds: readonly string[] };

type Addition = { readonly request: MembershipRequest; readonly bucketId: string };

/** Returns the additions of a request that may be written in bulk: its membership is known, and it removes nothing. */
const additionsOf = (request: MembershipRequest): readonly Addition[] => {
  const { add, knownGroupIds, remove } = request;
  if (knownGroupIds === null || remove.length > 0) return [];
  return add.filter((id) => !knownGroupIds.includes(id)).map((bucketId) => ({ request, bucketId }));
};

const inParts = (bucketId: string, ids: readonly string[], size: number): readonly BulkAddition[] =>
  chunks(ids, size).map((contactIds) => ({ bucketId, contactIds }));

/**
 * Divides membership changes between the routes of one contact and the bulk route of a bucket, so that few requests are
 * needed (R11). One POST adds a contact to all its buckets. A bulk request adds up to {@link BULK_SIZE} contacts to one bucket,
 * so it costs each of them a share of a request. A contact is written in bulk if its shares are less than one request. In the
 * result, `additions` fulfil the requests of `bulk`; those of `single` are written one contact at a time.
 */
export const planMembershipRequests = (batch: readonly MembershipRequest[]) => {
  const possible = batch.map(additionsOf);
  const sizes = new Map(
    [...Map.groupBy(possible.flat(), ({ bucketId }) => bucketId)].map(([id, all]) => [id, all.length]),
  );
  const shareOf = ({ bucketId }: Addition): number => {
    const size = sizes.get(bucketId) ?? 1;
    return Math.ceil(size / BULK_SIZE) / size;
  };
  const isCheap = (additions: readonly Addition[]): boolean =>
    additions.length > 0 && additions.reduce((sum, addition) => sum + shareOf(addition), 0) < 1;
  const chosen = possible.filter(isCheap);
  const inBulk = new Set(chosen.flat().map(({ request }) => request));
  const byBucket = Map.groupBy(chosen.flat(), ({ bucketId }) => bucketId);
  return {
    single: batch.filter((request) => !inBulk.has(request)),
    bulk: batch.filter((request) => inBulk.has(request)),
    additions: [...byBucket].flatMap(([bucketId, additions]) => {
      const contactIds = additions.map(({ request }) => request.id);
      return inParts(bucketId, contactIds, BULK_SIZE);
    }),
  };
};

/** Splits a refused addition, because it may have been too large; returns none if it was already small. */
export const splitAddition = ({ bucketId, contactIds }: BulkAddition): readonly BulkAddition[] =>
  contactIds.length <= CAUTIOUS_BULK_SIZE ? [] : inParts(bucketId, contactIds, CAUTIOUS_BULK_SIZE);
