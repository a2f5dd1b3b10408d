import type { AnsweredWrite } from '../../core/apply/answers.ts';
import { sharedEmails } from '../../core/apply/task.ts';
import { type Merged, targetOf, type Write } from '../../core/apply/write.ts';
import { withEmails } from '../../core/contact/lists.ts';
import type { ReadAnswer } from '../../core/contact/requests.ts';
import type { Side } from '../../core/contact/side.ts';
import { RemoteError } from '../../providers/errors.ts';
import type { WriteResult } from '../../providers/remote.ts';
import type { Session } from '../context.ts';
import type { Execution } from './execution.ts';
import { judgeFailure } from './failure.ts';
import { mergeAway } from './merge-away.ts';

const isKind = <Kind extends Write['kind']>(kind: Kind) => {
  return (write: Write): write is Extract<Write, { kind: Kind }> => write.kind === kind;
};

/** A write with its answer. */
export type SentWrite =
  | { readonly ok: true; readonly answered: AnsweredWrite }
  | { readonly ok: false; readonly write: Write; readonly error: RemoteError };

const outcomesOf = <W extends Write, Value>(
  writes: readonly W[],
  results: readonly WriteResult<Value>[],
  answered: (write: W, value: Value) => AnsweredWrite,
): readonly SentWrite[] => {
  const byKey = new Map(results.map((result) => [result.key, result]));
  return writes.flatMap((write): SentWrite[] => {
    const result = byKey.get(write.key);
    if (result === undefined) return [];
    return [
      result.ok ? { ok: true, answered: answered(write, result.value) } : { ok: false, write, error: result.error },
    ];
  });
};

type Sent = { readonly results: readonly WriteResult<unknown>[]; readonly outcomes: readonly SentWrite[] };

/** Merges contacts into others, one after the other. */
const sendMerges = async (
  { groupIds, session }: Execution,
  writes: readonly Extract<Write, { kind: 'merge' }>[],
): Promise<Sent> => {
  const results: WriteResult<Merged>[] = [];
  for (const { side, merging, deletion } of writes) {
    const { survivor, task } = merging;
    const desired = withEmails(survivor.contact, sharedEmails(task, side));
    const linked = new Set([...groupIds.values()].flatMap((pair) => pair[side] ?? []));
    const request = { mergedAway: deletion.record, survivor, desired, linked };
    results.push(await mergeAway(session.remotes[side], request, session.signal));
  }
  return { results, outcomes: outcomesOf(writes, results, (write, value) => ({ kind: 'merged', write, value })) };
};

/** Sends writes, all of this kind. */
export const send = async (
  execution: Execution,
  side: Side,
  kind: Write['kind'],
  writes: readonly Write[],
): Promise<Sent> => {
  const { remotes, signal } = execution.session;
  const remote = remotes[side];
  switch (kind) {
    case 'create': {
      const creates = writes.filter(isKind('create'));
      const requests = creates.map(({ request }) => request);
      const results = await remote.create(requests, signal);
      return { results, outcomes: outcomesOf(creates, results, (write, value) => ({ kind: 'record', write, value })) };
    }
    case 'update': {
      const updates = writes.filter(isKind('update'));
      const requests = updates.map(({ request }) => request);
      const results = await remote.update(requests, signal);
      return { results, outcomes: outcomesOf(updates, results, (write, value) => ({ kind: 'record', write, value })) };
    }
    case 'membership': {
      const moves = writes.filter(isKind('membership'));
      const requests = moves.map(({ request }) => request);
      const results = await remote.changeMembership(requests, signal);
      const altered = new Map(results.map((result) => [result.key, result.altered]));
      const outcomes = outcomesOf(moves, results, (write, value) => {
        return { kind: 'groups', write, value, altered: altered.get(write.key) };
      });
      return { results, outcomes };
    }
    case 'merge':
      return sendMerges(execution, writes.filter(isKind('merge')));
    case 'delete': {
      const deletes = writes.filter(isKind('delete'));
      const ids = deletes.map(({ key }) => key);
      const results = await remote.delete(ids, signal);
      return { results, outcomes: outcomesOf(deletes, results, (write) => ({ kind: 'none', write })) };
    }
  }
};

/** Reads the contacts whose writes were answered with `stale` or `not found`. A contact that cannot be read is left unchanged. */
export const reread = async (
  { remotes, signal }: Session,
  side: Side,
  outcomes: readonly SentWrite[],
): Promise<{ readonly answers: ReadonlyMap<string, ReadAnswer>; readonly readError: RemoteError | null }> => {
  const ids = outcomes.flatMap((outcome) => {
    if (outcome.ok || !judgeFailure(outcome.write, outcome.error).rereads) return [];
    return targetOf(outcome.write) ?? [];
  });
  if (ids.length === 0) return { answers: new Map(), readError: null };
  try {
    return { answers: await remotes[side].read(ids, signal), readError: null };
  } catch (error) {
    if (error instanceof RemoteError) return { answers: new Map(), readError: error };
    throw error;
  }
};
