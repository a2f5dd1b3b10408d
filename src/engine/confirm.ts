import { skipUnread } from './execute/refusals.ts';
import type { Rejection } from '../core/state/rows.ts';
import { isPresent, type Half } from '../core/contact/half.ts';
import { emailKey } from '../core/contact/keys.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import { isNewPairing } from '../core/reconcile/decision.ts';
import { lossesBy } from '../core/reconcile/losses.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import type { Session } from './session.ts';
import { chunks } from '../util/batches.ts';
import { emptiedSides } from './guard.ts';
import { halvesIn } from './opening.ts';
import {
  answeredAbout,
  observeAbsence,
  observeAgain,
  observeReadAnswer,
  observeMissing,
} from '../core/state/observe.ts';
import { dueContacts, isWaiting, forgetUnread, unreadableReason, unreadContact } from '../core/state/unread.ts';
import type { ContactIds } from './workload.ts';

/** Minimum number of reads between two points where a run can stop. */
const READS_PER_STEP = 50;

const confirmSide = async (session: Session, side: Side): Promise<void> => {
  const { clock, remotes } = session;
  const { rejections } = session.state();
  const isDeferred = ({ id, state }: Half): boolean =>
    state === 'doubted' && isWaiting(rejections, unreadContact(side, id), clock.now());
  const absent = await halvesIn(session, ['missing', 'unseen', 'doubted'], side);
  const missing = absent.filter((half) => !isDeferred(half));
  const { capabilities } = remotes[side];
  const states = new Map(missing.map((half) => [half.id, half.state]));
  // One request of reads per run, however many contacts are unreadable (R1).
  const due = dueContacts(rejections, side, session.startedAtMs).slice(0, capabilities.readBatch);
  const ids = [...new Set([...states.keys(), ...due])];
  for (const some of chunks(ids, Math.max(capabilities.readBatch, READS_PER_STEP))) {
    session.stop?.throwIfAborted();
    await confirmContacts(session, side, some, states, rejections);
  }
};

/** Reads contacts of a side: missing and `doubted` ones, which have an entry in `states`, and unread ones. */
const confirmContacts = async (
  session: Session,
  side: Side,
  ids: readonly string[],
  states: ReadonlyMap<string, Half['state']>,
  rejections: readonly Rejection[],
): Promise<void> => {
  const { clock, remotes, signal, writer } = session;
  const { capabilities } = remotes[side];
  const answers = await remotes[side].read(ids, signal);
  await writer.apply(answeredAbout(side, ids, answers), (set) => {
    for (const id of ids) {
      const answer = answers.get(id);
      const state = states.get(id);
      const half = set.half(side, id);
      if (state === undefined) {
        if (answer?.kind !== 'gone') observeReadAnswer(set, side, id, answer, capabilities.lagMs, clock.now());
        else if (half !== null) observeAbsence(set, half, clock.now());
      } else if (half !== null && answer !== undefined) {
        observeMissing(set, half, answer, capabilities, clock.now());
      }
      if (state !== undefined && state !== 'doubted') continue;
      const [unread, reason] = [unreadContact(side, id), unreadableReason(answer)];
      if (reason === null) forgetUnread(set, unread, rejections);
      else skipUnread(session, set, unread, reason);
    }
  });
};

/** The halves that a plan pairs, and those of pairs that it unlinks because no side selects them. */
const metOn = ({ decisions }: Plan, side: Side): readonly Half[] =>
  decisions.flatMap((decision): readonly Half[] => {
    if (decision.kind === 'merge') return isNewPairing(decision) ? [decision.pair[side]] : [];
    const half = decision.pair?.[side] ?? null;
    return decision.kind === 'unlink' && decision.to === 'unselected' && half !== null ? [half] : [];
  });

/** The halves whose value wins a conflict: a value of a contact that does not exist any more would replace the other side's edit. */
const winnersOn = ({ decisions }: Plan, side: Side): readonly Half[] =>
  decisions.flatMap((decision) => {
    const wins = decision.kind === 'merge' && decision.conflicts.some(({ winner }) => winner === side);
    return wins ? [decision.pair[side]] : [];
  });

/**
 * Loads the paired halves that have an email address of a new contact of their side. The new contact may be one of them, deleted
 * and added again.
 */
const formerOn = async ({ link, store }: Session, { decisions }: Plan, side: Side): Promise<readonly Half[]> => {
  const keys = decisions.flatMap((decision) => {
    const isNew = decision.kind === 'create' && decision.pair === null && decision.side !== side;
    return isNew ? decision.source.contact.emailAddresses.map(({ value }) => emailKey(value)) : [];
  });
  if (keys.length === 0) return [];
  const holders = await store.halves(link, { by: 'email', side, keys: [...new Set(keys)] });
  return holders.filter((half) => half.pair !== null && isPresent(half));
};

/**
 * Returns the halves because of which a plan deletes, empties or creates a contact on the other side, or ends a pair: those that
 * are deleted, or lack values of the other half.
 */
const evidenceOn = ({ decisions, groups }: Plan, side: Side): readonly Half[] =>
  decisions.flatMap((decision) => {
    const half = decision.pair?.[side] ?? null;
    if (half === null || half.mergedInto !== null) return [];
    const losses = lossesBy(decision, groups.links)[otherSide(side)];
    return half.state === 'gone' || losses.length > 0 ? [half] : [];
  });

/** Contacts that have been read by their ids, by side. */
type ReadIds = Sides<ReadonlySet<string>>;

export const NONE_READ: ReadIds = { left: new Set(), right: new Set() };

/** Returns the ids of those halves that may have changed since their side last showed them. */
const idsToConfirm = async (session: Session, plan: Plan, read: ReadIds): Promise<ContactIds> => {
  const { kind, remotes, startedAtMs } = session;
  const due: Record<Side, readonly string[]> = { left: [], right: [] };
  for (const side of SIDES) {
    const isFull = kind === 'full';
    const isCurrent = isFull || remotes[side].capabilities.namesDeletions;
    const met = isCurrent ? [] : [...metOn(plan, side), ...winnersOn(plan, side)];
    const halves = [...met, ...evidenceOn(plan, side)].filter(({ heardAtMs }) => heardAtMs < startedAtMs);
    // A feed may name a new contact before the deletion of the contact that it replaces.
    const former = isFull ? [] : await formerOn(session, plan, side);
    const ids = [...halves, ...former].map(({ id }) => id);
    due[side] = [...new Set(ids).difference(read[side])];
  }
  return due;
};

/**
 * Reads contacts by their ids before a plan depends on them, if no request of this run has returned them. Contacts whose deletion
 * or edit causes a loss on the other side: what an earlier run observed may have been a fault of the side that is over (R7, R8).
 * If their side does not report deletions and the run is not full, also:
 * - counterparts in a new pair: a contact deleted before the pair was synced is not deleted on the other side (R13);
 * - contacts of a pair that is unlinked because no side selects it: a contact deleted before that is not created again (R18);
 * - contacts whose value wins a conflict: if such a contact was deleted before, the edit on the other side beats that (R6).
 * If the run is not full: contacts that have an email address of a new contact of their side, which may replace them (R12).
 *
 * Reads no contact twice. Returns all ids that have been read, for the next plan; null if nothing had to be read.
 */
export const confirmMet = async (session: Session, plan: Plan, read: ReadIds): Promise<ReadIds | null> => {
  const { clock, remotes, signal, writer } = session;
  const due = await idsToConfirm(session, plan, read);
  for (const side of SIDES) {
    const ids = due[side];
    if (ids.length === 0) continue;
    const answers = await remotes[side].read(ids, signal);
    await writer.apply(answeredAbout(side, ids, answers), (set) => {
      for (const id of ids) observeAgain(set, side, id, answers.get(id), remotes[side].capabilities, clock.now());
    });
  }
  if (SIDES.every((side) => due[side].length === 0)) return null;
  return bySide((side) => read[side].union(new Set(due[side])));
};

/**
 * Reads by its id each contact that a full listing missed (R7) and each unreadable contact of a feed. Does not read the contacts
 * of a side that returned no contacts, because the guard halts first, unless deletions are accepted.
 */
export const confirmMissing = async (session: Session): Promise<void> => {
  const emptied = await emptiedSides(session);
  for (const side of SIDES) {
    if (!emptied.includes(side) || session.accepts !== undefined) await confirmSide(session, side);
  }
};
