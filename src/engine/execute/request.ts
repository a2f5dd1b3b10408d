import type { AnsweredWrite } from '../../core/apply/answers.ts';
import { type MembershipWrite, type Merged, type UpdateWrite, type Write } from '../../core/apply/task.ts';
import { withEmails } from '../../core/contact/lists.ts';
import type { MembershipRequest, ReadAnswer, UpdateRequest } from '../../core/contact/requests.ts';
import type { Side } from '../../core/contact/side.ts';
import { beforeOf, createRequest } from '../../core/reconcile/operation.ts';
import { RemoteError } from '../../providers/errors.ts';
import type { WriteResult } from '../../providers/remote.ts';
import type { Session } from '../session.ts';
import type { Execution } from './execution.ts';
import { judgeFailure } from './failure.ts';
import { mergeAway } from './merge-away.ts';
import { stateOf } from './results.ts';

type FailedWrite = { readonly kind: 'failed'; readonly write: Write; readonly error: RemoteError };

/** A write with its answer, or with the error instead of one. */
export type SentWrite = AnsweredWrite | FailedWrite;

/** Returns the key of a request: its place in the batch. The remote answers a delete and a merge with the id of the contact. */
const keyAt = (index: number): string => String(index);

const updateRequest = ({ operation: { before, desired, fields } }: UpdateWrite, key: string): UpdateRequest => {
  return { key, current: before, desired, fields };
};

const membershipRequest = (
  execution: Execution,
  { operation: { before, join, leave, side }, task }: MembershipWrite,
  key: string,
): MembershipRequest => {
  const { id, groupIds: lastGroupIds } = before;
  // The answer to an earlier write of the plan has shown the current groups.
  const knownGroupIds = stateOf(execution, task, side).writtenId === null ? null : lastGroupIds;
  return { key, id, add: join, remove: leave, knownGroupIds, lastGroupIds };
};

/** Merges contacts into others, one after the other. */
const sendMerges = async (
  { groupIds, session }: Execution,
  writes: readonly Extract<Write, { kind: 'merge-away' }>[],
): Promise<readonly WriteResult<Merged>[]> => {
  const results: WriteResult<Merged>[] = [];
  for (const { operation, survivorTask } of writes) {
    const { before: mergedAway, side, survivor } = operation;
    const desired = withEmails(survivor.contact, survivorTask.writes[side].shares);
    const linked = new Set([...groupIds.values()].flatMap((pair) => pair[side] ?? []));
    results.push(await mergeAway(session.remotes[side], { mergedAway, survivor, desired, linked }, session.signal));
  }
  return results;
};

/** Assigns the results to their writes. A write that was not sent has none. */
const sentOf = <W extends Write, Result extends WriteResult<unknown>>(
  writes: readonly W[],
  results: readonly Result[],
  answered: (write: W, result: Extract<Result, { ok: true }>) => AnsweredWrite,
): readonly SentWrite[] => {
  const byKey = new Map(results.map((result) => [result.key, result]));
  return writes.flatMap((write, index): SentWrite[] => {
    const result = byKey.get(write.operation.kind === 'delete' ? write.operation.before.id : keyAt(index));
    if (result === undefined) return [];
    return [
      result.ok
        ? answered(write, result as Extract<Result, { ok: true }>)
        : { kind: 'failed', write, error: result.error },
    ];
  });
};

const isKind = <Kind extends Write['kind']>(kind: Kind) => {
  return (write: Write): write is Extract<Write, { kind: Kind }> => write.kind === kind;
};

/** Sends writes, all of this kind and on this side. */
export const requestWrites = async (
  execution: Execution,
  side: Side,
  kind: Write['kind'],
  writes: readonly Write[],
): Promise<readonly SentWrite[]> => {
  const { remotes, signal } = execution.session;
  const remote = remotes[side];
  switch (kind) {
    case 'create': {
      const creates = writes.filter(isKind('create'));
      const requests = creates.map(({ operation }, index) => createRequest(operation, execution.scopes, keyAt(index)));
      const results = await remote.create(requests, signal);
      return sentOf(creates, results, (write, { value }) => ({ kind: 'record', write, value }));
    }
    case 'update': {
      const updates = writes.filter(isKind('update'));
      const requests = updates.map((write, index) => updateRequest(write, keyAt(index)));
      const results = await remote.update(requests, signal);
      return sentOf(updates, results, (write, { value }) => ({ kind: 'record', write, value }));
    }
    case 'membership': {
      const moves = writes.filter(isKind('membership'));
      const requests = moves.map((write, index) => membershipRequest(execution, write, keyAt(index)));
      const results = await remote.changeMembership(requests, signal);
      return sentOf(moves, results, (write, { value, altered }) => ({ kind: 'groups', write, value, altered }));
    }
    case 'merge-away': {
      const merges = writes.filter(isKind('merge-away'));
      const results = await sendMerges(execution, merges);
      return sentOf(merges, results, (write, { value }) => ({ kind: 'merged-away', write, value }));
    }
    case 'delete': {
      const deletes = writes.filter(isKind('delete'));
      const ids = deletes.map(({ operation }) => operation.before.id);
      const results = await remote.delete(ids, signal);
      return sentOf(deletes, results, (write) => ({ kind: 'none', write }));
    }
  }
};

/** Reads the contacts whose writes were answered with `stale` or `not found`. A contact that cannot be read is left unchanged. */
export const reread = async (
  { remotes, signal }: Session,
  side: Side,
  sent: readonly SentWrite[],
): Promise<{ readonly answers: ReadonlyMap<string, ReadAnswer>; readonly readError: RemoteError | null }> => {
  const ids = sent.flatMap((each) => {
    if (each.kind !== 'failed' || !judgeFailure(each.write, each.error).rereads) return [];
    return beforeOf(each.write.operation)?.id ?? [];
  });
  if (ids.length === 0) return { answers: new Map(), readError: null };
  try {
    return { answers: await remotes[side].read(ids, signal), readError: null };
  } catch (error) {
    if (error instanceof RemoteError) return { answers: new Map(), readError: error };
    throw error;
  }
};
