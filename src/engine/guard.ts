import type { JournalRow, RunRow } from '../core/state/rows.ts';
import { isAway } from '../core/contact/half.ts';
import { valueIn, type SyncedField } from '../core/contact/contact.ts';
import type { ContactRecord } from '../core/contact/record.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import {
  checkGuard,
  FIRST_SYNC,
  isEmptied,
  type Halt,
  needsReview,
  type Presence,
  type GuardInput,
} from '../core/reconcile/guard.ts';
import {
  countLosses,
  isLossless,
  lossesOf,
  lossKey,
  lossKeys,
  type Loss,
  type Losses,
} from '../core/reconcile/losses.ts';
import { mayWrite } from '../core/reconcile/policy.ts';
import { emptiesOf } from '../core/reconcile/operation.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { type Acceptance, DAY_MS, type Session } from './session.ts';
import type { Store } from '../store/store.ts';
import { anyPresent } from './opening.ts';
import { isTooRecent } from '../core/state/half-transitions.ts';
import { loadMembers } from './workload.ts';

const NONE: Sides<Losses> = { left: {}, right: {} };

const isEmpty = ({ contact, groupIds }: ContactRecord, field: SyncedField): boolean =>
  (field === 'buckets' ? groupIds : valueIn(contact, field)).length === 0;

/** Returns the losses that a write has caused, by keys like {@link lossKey}. */
const lossesIn = (row: JournalRow): readonly (readonly [string, Loss])[] => {
  const { side, kind, cause } = row;
  const lossOf = (loss: Loss, id: string) => [lossKey(loss, side, id), loss] as const;
  if (kind === 'delete') return [lossOf('contacts', row.before.id)];
  if (kind === 'group-delete') return row.group.members.map((id) => lossOf('members', `${row.group.id} ${id}`));
  // An undo restores former values: what it empties does not count.
  if (cause === 'undo' || kind === 'create') return [];
  // A write whose answer was lost may count as applied because of another field: a field that was not emptied is planned again.
  const { after, before } = row;
  const emptied = emptiesOf(row).filter((field) => after === null || isEmpty(after, field));
  return emptied.map((field) => lossOf(field, before.id));
};

/**
 * Returns the losses that this link caused on each side within a day, since the guard was last accepted. A contact counts once for each
 * field, and not for a loss of this plan (`planned`): a listing that lags may show a value again that is then removed once more.
 */
const recentLosses = async (
  { clock, link, state, store }: Session,
  planned: readonly string[],
): Promise<Sides<Losses>> => {
  const { acceptedDeletes } = state();
  const nowMs = clock.now();
  const acceptedAtMs = acceptedDeletes?.atMs ?? 0;
  // A time in the future was taken from a wrong clock.
  const sinceMs = Math.max(nowMs - DAY_MS, acceptedAtMs > nowMs ? 0 : acceptedAtMs);
  const rows = await store.journal(link, { destroyedSinceMs: sinceMs });
  const counted = rows.filter(({ run }) => run !== acceptedDeletes?.run);
  return bySide((side) => {
    const losses = new Map(counted.filter((row) => row.side === side).flatMap(lossesIn));
    for (const key of planned) losses.delete(key);
    return countLosses([...losses.values()]);
  });
};

/** Counts a side's linked contacts that it does not show and that were created or changed recently (R7). */
const countTooNew = async ({ clock, link, remotes, store }: Session, side: Side): Promise<number> => {
  const absent = await store.halves(link, { by: 'state', states: ['missing', 'unseen'], side });
  const { lagMs } = remotes[side].capabilities;
  return absent.filter((half) => half.pair !== null && isTooRecent(half, lagMs, clock.now())).length;
};

/** Counts the existing contacts of each side: paired ones, with those that were added again, and others. */
const countExisting = async (
  { link, store }: Session,
  replaced: Sides<number>,
): Promise<Pick<Presence, 'others' | 'present'>> => {
  const keys = { left: await store.index(link, 'left'), right: await store.index(link, 'right') };
  const existing = bySide((side) => keys[side].filter((key) => !isAway(key)));
  const present = bySide((side) => existing[side].filter(({ pair }) => pair !== null).length + replaced[side]);
  return { present, others: bySide((side) => existing[side].length - present[side]) };
};

/** Counts the pairs, and the known contacts of each side. */
const countPresence = async (session: Session, replaced: Sides<number> | null = null): Promise<Presence> => {
  const { pairs, present: all } = await session.store.counts(session.link);
  const { present, others } = replaced === null ? { present: all } : await countExisting(session, replaced);
  const tooNew = { left: 0, right: 0 };
  // Only a side without contacts needs this count.
  for (const side of SIDES) if (pairs >= 2 && present[side] === 0) tooNew[side] = await countTooNew(session, side);
  return { pairs, present, tooNew, ...(others !== undefined && { others }) };
};

/** Whether both sides have a contact. Then neither is empty, and nothing needs to be counted. */
const areBothPresent = async (session: Session): Promise<boolean> => {
  const present = await anyPresent(session);
  return SIDES.every((side) => present[side]);
};

/** Returns the sides without contacts, except those where R7 explains it by recent contacts. */
export const emptiedSides = async (session: Session): Promise<readonly Side[]> => {
  if (await areBothPresent(session)) return [];
  const presence = await countPresence(session);
  return SIDES.filter((side) => isEmptied(side, presence));
};

/** The number of runs among which the last halted one is looked for. Failed runs and undos may follow it. */
const MOST_LATER_RUNS = 20;

/** Returns the last sync that ended and did not fail: a user answers its halt. An undo leaves the link halted. */
export const lastDecided = async (store: Pick<Store, 'runs'>, link: string): Promise<RunRow | null> => {
  const runs = await store.runs(link, { newest: MOST_LATER_RUNS });
  return runs.find(({ kind, outcome }) => kind !== 'undo' && outcome !== 'running' && outcome !== 'failed') ?? null;
};

/**
 * Returns whether a user accepts these losses: the last run halted and showed each of them. Failed runs and undos do not count. A job
 * accepts the halt that it names and no later one.
 */
const areShown = async ({ link, store }: Session, accepts: Acceptance, keys: readonly string[]): Promise<boolean> => {
  const last = await lastDecided(store, link);
  if (last?.outcome !== 'halted' || (accepts.kind === 'halt' && last.reason !== accepts.message)) return false;
  const shown = new Set(last.shown);
  return shown.size > 0 && keys.every((key) => shown.has(key));
};

/** Returns whether a user accepts the losses. A restore accepts an emptied side, and no loss. `keys`: see {@link guard}. */
const isAccepted = async (session: Session, asked: GuardInput, keys: readonly string[] | null): Promise<boolean> => {
  const { accepts } = session;
  if (accepts === undefined) return false;
  if (accepts.kind === 'halt' && !accepts.loses && !isLossless(asked.losses)) return false;
  if (keys !== null) return areShown(session, accepts, keys);
  return accepts.kind === 'losses' || checkGuard(asked)?.message === accepts.message;
};

/**
 * Checks the losses of this run and of a day against the limits (R8). Accepted losses no longer count. An acceptance applies to
 * the losses that the last run showed when it halted. If `keys` is null, the user has seen the losses in another way.
 */
export const guard = async (
  session: Session,
  losses: Sides<Losses>,
  replaced: Sides<number> = { left: 0, right: 0 },
  keys: readonly string[] | null = null,
): Promise<Halt | null> => {
  const { clock, policy, run, sides, undoes, writer } = session;
  const isQuiet = isLossless(losses);
  if (isQuiet && (await areBothPresent(session))) return null;
  const asked = {
    ...(await countPresence(session, isQuiet ? null : replaced)),
    limit: policy.deleteLimit,
    isWritable: bySide((side) => mayWrite(policy, side)),
    losses,
    recent: isQuiet ? NONE : await recentLosses(session, keys ?? []),
    undoes,
    places: bySide((side) => sides[side].place),
  };
  const isAcceptedNow = await isAccepted(session, asked, keys);
  if (isAcceptedNow && !isQuiet) {
    await writer.apply({}, (set) => {
      set.add({ kind: 'link', patch: { acceptedDeletes: { run, atMs: clock.now() } } });
    });
  }
  return isAcceptedNow ? null : checkGuard(asked);
};

/** Counts the contacts of each side that a plan recognises as deleted and added again (R12). */
const countReplaced = ({ decisions }: Plan): Sides<number> => {
  const sides = decisions.flatMap((decision) => (decision.kind === 'merge' ? (decision.replacedOn ?? []) : []));
  return bySide((side) => sides.filter((each) => each === side).length);
};

/** Checks the losses of a plan, and stores an acceptance of them. */
export const guardPlan = async (session: Session, plan: Plan): Promise<Halt | null> => {
  const { store, link } = session;
  const deleted = plan.groups.actions.filter((action) => action.kind === 'delete-group');
  const members = new Map<string, number>();
  for (const { side, group } of deleted)
    members.set(`${side} ${group.id}`, (await loadMembers(store, link, side, group.id)).length);
  return guard(
    session,
    lossesOf(plan, (side, id) => members.get(`${side} ${id}`) ?? 0),
    countReplaced(plan),
    lossKeys(plan),
  );
};

/** Halts a first sync that must be reviewed, unless this halt was accepted. */
const guardFirstSync = async (session: Session, plan: Plan): Promise<Halt | null> => {
  const { accepts, link, policy, store } = session;
  if (accepts?.kind === 'halt' && accepts.message === FIRST_SYNC.message) return null;
  return needsReview(policy, plan) && (await store.counts(link)).pairs === 0 ? FIRST_SYNC : null;
};

/** Checks the first plan of a run (R8). */
export const guardRun = async (session: Session, plan: Plan): Promise<Halt | null> =>
  (await guardPlan(session, plan)) ?? (await guardFirstSync(session, plan));

/** Returns the losses that a halt shows. If a side is empty, these are all contacts that are linked with it. */
export const lossesShown = async ({ link, store }: Session, plan: Plan, halt: Halt): Promise<readonly string[]> => {
  if (halt.reason !== 'too-many-deletes' && halt.reason !== 'side-emptied') return [];
  if (halt.reason === 'too-many-deletes') return lossKeys(plan);
  const other = otherSide(halt.side);
  const linked = (await store.index(link, other)).filter(({ pair }) => pair !== null);
  return [...new Set([...lossKeys(plan), ...linked.map(({ id }) => lossKey('contacts', other, id))])];
};
