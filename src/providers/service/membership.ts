import type { MembershipRequest } from '../../core/contact/requests.ts';
import { InvalidError, leftOpen, NotFoundError, RemoteError, RevokedError } from '../errors.ts';
import { mapConcurrently } from '../../util/batches.ts';
import { metRefusal, settleEach } from '../write-results.ts';
import { membershipAfter, sortedIds } from '../groups.ts';
import type { WriteResult } from '../remote.ts';
import type { MembershipAnswer } from './api/membership.ts';
import { allRows, PAGE_SIZE } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';
import { planMembershipRequests, splitAddition, type BulkAddition } from './membership-plan.ts';
import { CONCURRENCY } from './push.ts';
import { writeContact } from './read.ts';

type MembershipApi = ServiceApi['membership'];
type Results = readonly WriteResult<readonly string[]>[];

const readMembership = async (api: MembershipApi, id: string): Promise<readonly string[]> => {
  const buckets = await allRows(api.listBuckets(id));
  return buckets.map((bucket) => bucket.id);
};

const replaceMembership = async (
  api: MembershipApi,
  id: string,
  current: readonly string[],
  sent: readonly string[],
): Promise<readonly string[]> => {
  try {
    const answer = await api.replaceBuckets(id, sent);
    if (sent.length > 0 || answer.ids.length === 0) return answer.mayBeCut ? sent : sortedIds(answer.ids);
  } catch (error) {
    if (sent.length > 0 || !(error instanceof InvalidError)) throw error;
  }
  // The service does not accept an empty set.
  await api.removeBuckets(id, current);
  return [];
};

/** Returns whether a list may end at a page limit: a service may return only the first page of a list below one resource. */
const mayBeCut = (current: readonly string[]): boolean => current.length === PAGE_SIZE;

/**
 * Applies only this change to the current membership of one contact. It is used if the service refuses to add or remove some
 * of the buckets, for example because one is deleted. The membership is read directly before it is replaced (R11). If it may
 * be incomplete, it is not replaced, and the refusal is thrown.
 */
const rewriteMembership = async (
  api: MembershipApi,
  request: MembershipRequest,
  refusal: InvalidError | NotFoundError,
): Promise<readonly string[]> => {
  const current = await readMembership(api, request.id);
  if (mayBeCut(current)) throw refusal;
  const wanted = membershipAfter(current, request);
  const isSame = new Set(wanted).symmetricDifference(new Set(current)).size === 0;
  return isSame ? wanted : replaceMembership(api, request.id, current, wanted);
};

/** Returns the membership after the changes, without buckets that the answer to the addition shows to be left out. */
const afterMoves = (
  current: readonly string[],
  request: MembershipRequest,
  added: MembershipAnswer | null,
): readonly string[] => {
  if (added === null) return membershipAfter(current, request);
  const missing = leftOut(request.add, added);
  return membershipAfter([...current, ...added.ids], request).filter((id) => !missing.includes(id));
};

/**
 * Adds one contact to buckets and removes it from others, with one request for each direction. Concurrent changes of its
 * membership by others are kept (R11).
 */
const writeSingle = async (
  api: MembershipApi,
  request: MembershipRequest,
  onBegun: () => void,
): Promise<readonly string[]> => {
  const { add, id, remove } = request;
  try {
    const added = add.length === 0 ? null : await api.addBuckets(id, add);
    if (added !== null) onBegun();
    if (remove.length > 0) await api.removeBuckets(id, remove);
    onBegun();
    const current = request.knownGroupIds ?? request.lastGroupIds;
    return current === undefined ? sortedIds(await readMembership(api, id)) : afterMoves(current, request, added);
  } catch (error) {
    const isRefused = error instanceof InvalidError || error instanceof NotFoundError;
    if (!isRefused || error.applied !== 'no') throw error;
    return rewriteMembership(api, request, error);
  }
};

/** Writes one contact's membership. If a request is refused after a part was applied, the outcome is unknown (R9). */
const writeOne = async (api: ServiceApi, request: MembershipRequest) => {
  let begun = false;
  const onBegun = (): void => void (begun = true);
  try {
    return await writeContact(api, [request.id], () => writeSingle(api.membership, request, onBegun));
  } catch (error) {
    throw begun && error instanceof RemoteError && error.applied === 'no' ? leftOpen(error) : error;
  }
};

/** Returns the ids that an addition left out, if its answer is complete enough to show that. */
const leftOut = (sentIds: readonly string[], answer: MembershipAnswer): readonly string[] => {
  const answered = new Set(answer.ids);
  return answer.mayBeCut ? [] : sentIds.filter((id) => !answered.has(id));
};

/** The outcome of one bulk addition: contacts that must be written one at a time, or its error. */
type BulkOutcome = {
  readonly addition: BulkAddition;
  readonly unwritten: readonly string[];
  readonly error: RemoteError | null;
};

/** Writes a bulk addition. A refused one is repeated in smaller parts, one after the other. */
const writeBulk = async (api: MembershipApi, addition: BulkAddition): Promise<readonly BulkOutcome[]> => {
  try {
    const answer = await api.addContacts(addition.bucketId, addition.contactIds);
    return [{ addition, unwritten: leftOut(addition.contactIds, answer), error: null }];
  } catch (error) {
    // A 403 may concern one contact only. Writing them one at a time shows which one.
    const isRefused = [InvalidError, NotFoundError, RevokedError].some((refusal) => error instanceof refusal);
    if (!(error instanceof RemoteError)) throw error;
    const parts = isRefused ? splitAddition(addition) : [];
    if (parts.length > 0) return (await mapConcurrently(parts, 1, (part) => writeBulk(api, part))).flat();
    return [{ addition, unwritten: isRefused ? addition.contactIds : [], error: isRefused ? null : error }];
  }
};

/** Returns the results of bulk requests, and the requests that must still be written one at a time. */
const sortOutcomes = (bulk: readonly MembershipRequest[], outcomes: readonly BulkOutcome[]) => {
  const unwritten = new Set(outcomes.flatMap((outcome) => outcome.unwritten));
  const errors = new Map(
    outcomes.flatMap(({ addition, error }) =>
      error === null ? [] : addition.contactIds.map((id) => [id, error] as const),
    ),
  );
  const written: WriteResult<readonly string[]>[] = [];
  for (const request of bulk) {
    const error = errors.get(request.id);
    if (error !== undefined) written.push({ key: request.key, ok: false, error });
    else if (!unwritten.has(request.id)) {
      const value = membershipAfter(request.knownGroupIds ?? [], request);
      written.push({ key: request.key, ok: true, value });
    }
  }
  return { written, remaining: bulk.filter((request) => !errors.has(request.id) && unwritten.has(request.id)) };
};

/** Writes membership changes in few requests (R11); see {@link planMembershipRequests}. */
export const changeMembership = async (api: ServiceApi, batch: readonly MembershipRequest[]): Promise<Results> => {
  const plan = planMembershipRequests(batch);
  const outcomes = await mapConcurrently(plan.additions, CONCURRENCY, (addition) =>
    writeBulk(api.membership, addition),
  );
  const { written, remaining } = sortOutcomes(plan.bulk, outcomes.flat());
  if (metRefusal(written)) return written;
  const singles = await settleEach([...plan.single, ...remaining], CONCURRENCY, (request) => writeOne(api, request));
  return [...written, ...singles];
};
