import { skipUnread } from './execute/refusals.ts';
import { originScopes } from './accounts.ts';
import { openEntries } from './opening.ts';
import type { CreateRequest, ReadAnswer } from '../core/contact/requests.ts';
import type { JournalRow } from '../core/state/rows.ts';
import { withBoundEntries } from '../core/contact/bound-entries.ts';
import type { Half } from '../core/contact/half.ts';
import { idsIn } from '../core/contact/pair.ts';
import type { ContactRecord } from '../core/contact/record.ts';
import { otherSide, SIDES, type Side } from '../core/contact/side.ts';
import { mayConcernOne, RedirectedError, UnreadableError } from '../providers/errors.ts';
import { createRequest, sourceIdOf } from '../core/reconcile/operation.ts';
import { apartFrom } from '../core/reconcile/verdict.ts';
import { DAY_MS, onBothSides, type Session } from './session.ts';
import { forgetSelection } from './selecting.ts';
import { attemptsOf, isWaiting, forgetFaults, forgetUnread, unansweredWrite } from '../core/state/unread.ts';
import type { WorkingSet } from '../core/state/working-set.ts';
import { changesToClose, type ApplyContext, type Outcome, type Unreadable } from '../core/apply/outcome.ts';
import { applyRead, applySearch } from '../core/apply/reads.ts';
import { observeMerge } from '../core/apply/side-merges.ts';
import { answeredAbout } from '../core/state/observe.ts';

/** Open journal entries of one kind of operation. */
type Open<Kind extends JournalRow['kind']> = Extract<JournalRow, { kind: Kind }>;
type OpenCreate = Open<'create'>;
type OpenWrite = Open<'update' | 'membership' | 'delete'>;

/** The longest time that a request waits for its rate limit and its retries, including its answer. */
const SENT_WITHIN_MS = 4 * 60_000;

/** The time after which a side shows a created contact; one more search covers a stale first answer. */
const SHOWN_AFTER_MS = 60_000;

/** Returns the delays before each search for creates of those times. The most recent create decides how many there are (R9). */
export const looksFor = (
  intendedAtMs: readonly number[],
  nowMs: number,
  looksAfterMs: readonly number[],
): readonly number[] => {
  const isLate = nowMs - Math.max(...intendedAtMs) >= SENT_WITHIN_MS + SHOWN_AFTER_MS;
  return isLate ? looksAfterMs.slice(0, 2) : looksAfterMs;
};

/** The number of searches after which a create of unknown time was not applied: the third one is 15 minutes after the first (R15). */
const DECISIVE_SEARCHES = 3;

/**
 * Returns whether a search that does not find the contact of a create proves that it does not exist. A side that shows contacts
 * late proves it only after `lagMs` from the last moment at which the request may have been sent (R9). The searches
 * before this one are counted because the clock may have been set back since the create.
 */
export const isDecisiveSearch = (
  intendedAtMs: number,
  nowMs: number,
  lagMs: number,
  earlierSearches: number,
): boolean => lagMs === 0 || nowMs - intendedAtMs >= SENT_WITHIN_MS + lagMs || earlierSearches + 1 >= DECISIVE_SEARCHES;

/**
 * Returns the time since which contacts of creates of those times are searched, in epoch milliseconds. A time in the future is
 * from a clock that was set back since by an unknown amount: the last day is searched then.
 */
export const soughtSinceMs = (intendedAtMs: readonly number[], nowMs: number): number =>
  Math.min(...intendedAtMs.map((atMs) => (atMs > nowMs ? nowMs - DAY_MS : atMs)));

/** The created contacts, by the key of the request; the reason if the result of a create is unclear. */
type Created = ReadonlyMap<string, ContactRecord | Unreadable>;

const isRecord = (created: ContactRecord | Unreadable | undefined): created is ContactRecord =>
  created !== undefined && 'id' in created;

/** Searches for the creates. If a candidate cannot be read, each create is searched alone, so that the others are found. */
const findEach = async (
  find: (requests: readonly CreateRequest[]) => Promise<ReadonlyMap<string, ContactRecord>>,
  requests: readonly CreateRequest[],
  found: Map<string, ContactRecord | Unreadable>,
): Promise<void> => {
  for (const { key } of requests) found.delete(key);
  try {
    for (const [key, record] of await find(requests)) found.set(key, record);
  } catch (error) {
    if (!(error instanceof UnreadableError) || error instanceof RedirectedError) throw error;
    const [first] = requests;
    if (first !== undefined && requests.length === 1) found.set(first.key, { unreadable: error.message });
    else for (const request of requests) await findEach(find, [request], found);
  }
};

/** Searches for contacts of creates of unknown outcome, several times after recent creates: a side may show them late (R9). */
const lookForCreated = async (
  session: Session,
  side: Side,
  requests: readonly CreateRequest[],
  sinceMs: number,
  looks: readonly number[],
  apart: readonly string[],
): Promise<Created> => {
  const { clock, link, remotes, signal, store } = session;
  const paired = (await store.index(link, side)).filter(({ pair }) => pair !== null);
  const taken = new Set([...paired.map(({ id }) => id), ...apart]);
  const found = new Map<string, ContactRecord | Unreadable>();
  const isTaken = (id: string): boolean =>
    taken.has(id) || [...found.values()].some((created) => isRecord(created) && created.id === id);
  for (const delayMs of looks) {
    const missing = requests.filter((request) => !isRecord(found.get(request.key)));
    if (missing.length === 0) break;
    if (delayMs > 0) await clock.sleep(delayMs, signal);
    await findEach((some) => remotes[side].findCreated(some, sinceMs, isTaken, signal), missing, found);
  }
  return found;
};

type Settled = { readonly row: JournalRow; readonly applied: boolean };

/** Settles writes in one step: each by its result, together with its journal entry. */
const settleAll = async <Row extends JournalRow>(
  session: Session,
  side: Side,
  rows: readonly Row[],
  ids: readonly string[],
  apply: (set: WorkingSet, row: Row, context: ApplyContext) => Outcome | Unreadable,
): Promise<readonly Settled[]> => {
  const named = idsIn(rows);
  const needs = {
    ids: { ...named, [side]: [...named[side], ...ids] },
    pairs: rows.flatMap(({ pairId }) => pairId ?? []),
    gone: [side],
  };
  const { clock, remotes, state, writer } = session;
  const { groupPairs, rejections } = state();
  const { lagMs } = remotes[side].capabilities;
  const settled: Settled[] = [];
  await writer.apply(needs, (set) => {
    for (const row of rows) {
      const atMs = clock.now();
      const outcome = apply(set, row, { groupPairs, lagMs, atMs });
      const unread = unansweredWrite(row);
      if ('unreadable' in outcome) {
        skipUnread(session, set, unread, outcome.unreadable);
        continue;
      }
      set.add(...changesToClose(row.id, outcome.applied ? 'done' : 'abandoned', outcome, atMs));
      forgetUnread(set, unread, rejections);
      if (outcome.applied) forgetFaults(set, row, rejections);
      settled.push({ row, applied: outcome.applied });
    }
  });
  return settled;
};

const recoverCreates = async (session: Session, side: Side, writes: readonly OpenCreate[]) => {
  if (writes.length === 0) return [];
  const intendedAtMs = writes.map((write) => write.intendedAtMs);
  const nowMs = session.clock.now();
  const sinceMs = soughtSinceMs(intendedAtMs, nowMs);
  const looks = looksFor(intendedAtMs, nowMs, session.looksAfterMs);
  const scopes = originScopes(session);
  const requests = writes.map((write) => createRequest(write, scopes, String(write.id)));
  // A contact that a user keeps apart from a source existed before: no create of that source made it.
  const { verdicts } = session.state();
  const apart = writes.flatMap((write) => {
    const sourceId = sourceIdOf(write);
    return sourceId === null ? [] : apartFrom(verdicts, otherSide(side), sourceId);
  });
  const found = await lookForCreated(session, side, requests, sinceMs, looks, apart);
  const { rejections } = session.state();
  const { lagMs } = session.remotes[side].capabilities;
  const isDecisive = (write: OpenCreate): boolean =>
    isDecisiveSearch(write.intendedAtMs, nowMs, lagMs, attemptsOf(rejections, unansweredWrite(write)));
  const mayAppear = `The answer to the create was lost, and ${session.sides[side].title} may show a new contact late.`;
  const ids = [...found.values()].flatMap((created) => (isRecord(created) ? [created.id] : []));
  return settleAll(session, side, writes, ids, (set, write, context) => {
    const record = found.get(String(write.id)) ?? null;
    if (record !== null && !isRecord(record)) return record;
    if (record === null && !isDecisive(write)) return { unreadable: mayAppear };
    return applySearch(set, write, record, context);
  });
};

/** The answer of a read, with the fields of its record read from the entries that they were bound to. */
const boundAnswer = (answer: ReadAnswer | undefined, known: Half | null): ReadAnswer | undefined => {
  if (known === null || (answer?.kind !== 'found' && answer?.kind !== 'moved')) return answer;
  return { ...answer, record: withBoundEntries(answer.record, known.record) };
};

const recoverWrites = async (session: Session, side: Side, writes: readonly OpenWrite[]) => {
  if (writes.length === 0) return [];
  const survivors = writes.flatMap((write) => (write.kind === 'delete' ? (write.survivor?.id ?? []) : []));
  const asked = [...new Set([...writes.map(({ before }) => before.id), ...survivors])];
  const answers: ReadonlyMap<string, ReadAnswer> = await session.remotes[side].read(asked, session.signal);
  const { ids } = answeredAbout(side, survivors, answers);
  return settleAll(session, side, writes, ids[side] ?? [], (set, write, context) => {
    const answer = boundAnswer(answers.get(write.before.id), set.half(side, write.before.id));
    if (write.kind === 'delete' && write.survivor !== null) {
      const { before: mergedAway, survivor: before } = write;
      const found = answers.get(before.id);
      if (found?.kind === 'found') observeMerge(set, { side, before, after: found.record, mergedAway }, context);
    }
    return applyRead(set, write, answer, context);
  });
};

type GroupDeletion = Open<'group-delete'>;

/** Returns whether a group exists, or the reason why the side cannot read it (R15). */
const groupExists = async ({ remotes, signal }: Session, side: Side, id: string): Promise<boolean | Unreadable> => {
  try {
    return (await remotes[side].readGroup(id, signal)) !== null;
  } catch (error) {
    if (!mayConcernOne(error)) throw error;
    return { unreadable: error.message };
  }
};

/** Settles group deletions without an answer: a read shows whether the group still exists. */
const recoverGroupDeletions = async (session: Session, side: Side, writes: readonly GroupDeletion[]) => {
  const answers = new Map<string, boolean | Unreadable>();
  for (const { group } of writes) answers.set(group.id, await groupExists(session, side, group.id));
  return settleAll(session, side, writes, [], (_, { group }) => {
    const exists = answers.get(group.id) ?? false;
    return typeof exists === 'boolean' ? { applied: !exists, after: null, error: null } : exists;
  });
};

const isKind =
  <Kind extends JournalRow['kind']>(...kinds: readonly Kind[]) =>
  (row: JournalRow): row is Open<Kind> =>
    kinds.some((kind) => kind === row.kind);

/**
 * Settles the writes of unknown outcome, of this process or of one that died: reads the current contact at the remote and
 * either applies it as the write's answer or leaves the write to be planned again (R9). The write of an unreadable contact stays
 * open, and the contact is read again at growing intervals (R15). Writes to no remote.
 *
 * @returns the entries of the writes that were applied.
 */
export const recover = async (session: Session): Promise<readonly JournalRow[]> => {
  const { clock } = session;
  const { rejections } = session.state();
  const rows = await openEntries(session);
  const open = rows.filter((row) => !isWaiting(rejections, unansweredWrite(row), clock.now()));
  if (open.length === 0) return [];
  await forgetSelection(session);
  // Each side is searched several times with delays in between, both sides at once.
  const creates = await onBothSides((side) =>
    recoverCreates(
      session,
      side,
      open.filter(isKind('create')).filter((row) => row.side === side),
    ),
  );
  const settled: Settled[] = [...creates.left, ...creates.right];
  for (const side of SIDES) {
    const own = open.filter((row) => row.side === side);
    settled.push(...(await recoverWrites(session, side, own.filter(isKind('update', 'membership', 'delete')))));
    settled.push(...(await recoverGroupDeletions(session, side, own.filter(isKind('group-delete')))));
  }
  if (settled.length > 0) session.emit({ kind: 'recovered', writes: settled.length });
  return settled.filter(({ applied }) => applied).map(({ row }) => row);
};
